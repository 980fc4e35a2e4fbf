#!/usr/bin/env node
'use strict';
// In the oldest JavaScript, so that whatever Node runs it can say what is missing.

var childProcess = require('child_process');
var fs = require('fs');
var nodeModule = require('module');
var os = require('os');
var path = require('path');

var wanted = { major: 24, minor: 11 };

// What a daemon's threads make and drop may come to 64 MB each before V8 looks for what has gone. 16 MB take no more time that
// could be measured, and 60 to 100 MB less of memory.
var youngHeap = '--max-semi-space-size';
// An export makes and drops some kilobytes a row: of 100,000 rows, 2 MB take no more time, and a third less of memory.
var youngHeapMb = { start: 16, export: 2 };

function isNewEnough(version) {
  var parts = version.split('.');
  var major = Number(parts[0]);
  return major > wanted.major || (major === wanted.major && Number(parts[1]) >= wanted.minor);
}

// The sources in the repository, what was built of them in the published package.
function mainFile() {
  var source = path.join(__dirname, 'cli', 'main.ts');
  return fs.existsSync(source) ? source : path.join(__dirname, '..', 'dist', 'src', 'cli', 'main.js');
}

// Where Node keeps what it compiled of our modules: the user's own cache folder, which nobody else may write to. Undefined
// where there is none to be had.
function compileCacheFolder() {
  var given = process.env.XDG_CACHE_HOME;
  var base = given && path.isAbsolute(given) ? given : path.join(os.homedir(), '.cache');
  if (!path.isAbsolute(base)) return undefined;
  var folder = path.join(base, 'heronry');
  // One by one: where a folder cannot hold any, such as below /proc, Node's recursive way never ends.
  [base, folder].forEach(function make(each) {
    if (!fs.existsSync(each)) fs.mkdirSync(each, { mode: 448 }); // 0700
  });
  var found = fs.lstatSync(folder);
  var isOwn = !process.getuid || (found.uid === process.getuid() && (found.mode & 18) === 0); // 022
  return found.isDirectory() && isOwn ? folder : undefined;
}

// Compiling takes most of the start of a short command. The environment passes the folder on to threads and to daemons that a
// command starts. Without a folder, or with one that cannot be written, everything works as well, only slower.
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  try {
    var folder = compileCacheFolder();
    if (folder === undefined || nodeModule.enableCompileCache(folder).directory === undefined) return;
    process.env.NODE_COMPILE_CACHE = folder;
  } catch (error) {
    // No home, no rights, no space: compiling is all that is left to do.
  }
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

// The flags for V8 that the program lacks; a person's own come first.
function missingFlags() {
  var given = process.execArgv.join(' ') + ' ' + (process.env.NODE_OPTIONS || '');
  var isGiven = given.replace(/_/g, '-').indexOf(youngHeap) !== -1;
  var mb = Object.prototype.hasOwnProperty.call(youngHeapMb, process.argv[2])
    ? youngHeapMb[process.argv[2]]
    : undefined;
  return mb !== undefined && !isGiven ? [youngHeap + '=' + mb] : [];
}

// V8 takes such flags at its start alone: this process begins once more with them, where the system can do that.
function beginAgain(flags) {
  var words = [process.execPath].concat(process.execArgv, flags, [__filename], process.argv.slice(2));
  process.execve(process.execPath, words, process.env);
}

function runWith(node) {
  var words = missingFlags().concat([__filename], process.argv.slice(2));
  var child = childProcess.spawn(node, words, { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both: it must not arrive twice.
  var atTerminal = process.stdin.isTTY;
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].forEach(function forward(signal) {
    process.on(signal, function pass() {
      if (signal === 'SIGTERM' || signal === 'SIGHUP' || !atTerminal) child.kill(signal);
    });
  });
  // A demo leaves nothing behind, however the process that began it ends.
  var parent = process.ppid;
  if (process.argv.indexOf('demo') !== -1) {
    setInterval(function watch() {
      if (process.ppid !== parent) child.kill('SIGTERM');
    }, 500);
  }
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
    var flags = missingFlags();
    if (flags.length > 0 && process.execve && process.platform !== 'win32') beginAgain(flags);
    keepCompiled();
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
      ', and none was installed with it: install it without --omit=optional, or install Node ' +
      wanted.major +
      '\n',
  );
  process.exit(69);
}

main();
