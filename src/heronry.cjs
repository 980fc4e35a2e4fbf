#!/usr/bin/env node
'use strict';
// In the oldest JavaScript, so that whatever Node runs it can say what is missing.

var childProcess = require('child_process');
var fs = require('fs');
var path = require('path');

var wanted = { major: 24, minor: 11 };

function isNewEnough(version) {
  var parts = version.split('.');
  var major = Number(parts[0]);
  return major > wanted.major || (major === wanted.major && Number(parts[1]) >= wanted.minor);
}

// The sources in the repository, what was built of them in the published package.
function mainFile() {
  var source = path.join(__dirname, 'cli', 'main.ts');
  return fs.existsSync(source) ? source : path.join(__dirname, 'cli', 'main.js');
}

function bundledNode() {
  var platform = process.platform === 'win32' ? 'win' : process.platform;
  try {
    var manifest = require.resolve('node-' + platform + '-' + process.arch + '/package.json');
    var node = path.join(path.dirname(manifest), 'bin', platform === 'win' ? 'node.exe' : 'node');
    return fs.existsSync(node) ? node : undefined;
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function runWith(node) {
  var child = childProcess.spawn(node, [__filename].concat(process.argv.slice(2)), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both: it must not arrive twice.
  var atTerminal = process.stdin.isTTY;
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].forEach(function forward(signal) {
    process.on(signal, function pass() {
      if (signal === 'SIGTERM' || signal === 'SIGHUP' || !atTerminal) child.kill(signal);
    });
  });
  child.on('error', function failed(error) {
    process.stderr.write('heronry: cannot run ' + node + ': ' + error.message + '\n');
    process.exit(69);
  });
  child.on('exit', function leave(code, signal) {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exit(code);
    }
  });
}

function main() {
  if (isNewEnough(process.versions.node)) {
    require(mainFile());
    return;
  }
  var node = bundledNode();
  if (node) {
    runWith(node);
    return;
  }
  process.stderr.write(
    'heronry: needs Node ' +
      wanted.major +
      '.' +
      wanted.minor +
      ' or newer, this is ' +
      process.versions.node +
      ', and none was installed with it: run `npm ci` without --omit=optional, or install Node ' +
      wanted.major +
      '\n',
  );
  process.exit(69);
}

main();
