/** Pages that would run or load something in every place where a page can; `LOAD` stands for an address that must never be asked. */
export const hostilePages: Readonly<Record<string, string>> = {
  scripts: '<script>alert(1)</script><SCRIPT SRC="LOAD"></SCRIPT><script type=module src=LOAD></script>text',
  handlers:
    '<body onload=alert(1)><img src=x onerror=alert(1)><div onmouseover="alert(1)" onclick=alert(1)>a</div><details open ontoggle=alert(1)>d</details><input autofocus onfocus=alert(1)>',
  addresses:
    '<a href="javascript:alert(1)">a</a><a href="LOAD">b</a><a href="data:text/html,<script>alert(1)</script>">c</a><form action="LOAD"><button formaction="javascript:alert(1)">d</button><input type=image src=LOAD></form><area href=LOAD>',
  loads:
    '<img src="LOAD" srcset="LOAD 2x" alt="an image"><picture><source srcset="LOAD"><img src=LOAD></picture><video src=LOAD poster=LOAD><track src=LOAD></video><audio src=LOAD autoplay></audio><iframe src="LOAD" srcdoc="<script>alert(1)</script>"></iframe><object data="LOAD"><param name=a value=LOAD></object><embed src="LOAD"><frameset><frame src=LOAD></frameset><body background="LOAD">',
  head: '<meta http-equiv="refresh" content="0;url=LOAD"><base href="LOAD"><link rel=stylesheet href="LOAD"><link rel=preload as=script href=LOAD><link rel=prefetch href=LOAD><link rel=dns-prefetch href=LOAD><meta http-equiv="Content-Security-Policy" content="default-src *">',
  styles:
    '<style>@import url(LOAD); body{background:url(LOAD)} @font-face{font-family:x;src:url(LOAD)}</style><div style="background:url(LOAD);position:fixed;inset:0">a</div><p style="behavior:url(LOAD)">b</p>',
  svg: '<svg onload=alert(1)><script>alert(1)</script><image href="LOAD"/><use href="LOAD#a"/><foreignObject><iframe src=LOAD></iframe></foreignObject><animate attributeName=href values="javascript:alert(1)"/><a xlink:href="javascript:alert(1)"><text>a</text></a><style>@import "LOAD"</style></svg>',
  mathml:
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></math><math href="javascript:alert(1)"><maction actiontype="statusline#http://a" xlink:href="javascript:alert(1)">click</maction></math>',
  template: '<template><img src=LOAD onerror=alert(1)><script>alert(1)</script></template>',
  noscript:
    '<noscript><p title="</noscript><img src=LOAD onerror=alert(1)>"></noscript><noscript><img src=LOAD></noscript>',
  mutations:
    '<form><math><mtext></form><form><mglyph><style></math><img src=LOAD onerror=alert(1)></style></mglyph></form></mtext></math><svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  rawText:
    '<textarea></textarea><img src=LOAD onerror=alert(1)></textarea><xmp><script>alert(1)</script></xmp><plaintext><img src=LOAD onerror=alert(1)><title></title><script>alert(1)</script></title>',
  entities:
    '&lt;script&gt;alert(1)&lt;/script&gt;<p>&lt;img src=LOAD onerror=alert(1)&gt;</p><b title="&quot;><script>alert(1)</script>">c</b><p>"><a href="#1" onclick=alert(1)></p>',
  names:
    '<a<script>alert(1)</script><x:script>alert(1)</x:script><img/src=LOAD/onerror=alert(1)><ſcript>alert(1)</ſcript><p/onclick=alert(1)>x',
  comments:
    '<!--><script>alert(1)</script>--><!--[if IE]><script>alert(1)</script><![endif]--><![CDATA[<script>alert(1)</script>]]><?xml-stylesheet href="LOAD"?>',
  portals:
    '<portal src=LOAD></portal><fencedframe src=LOAD></fencedframe><applet code=LOAD></applet><isindex action=LOAD><keygen autofocus onfocus=alert(1)><marquee onstart=alert(1)>m</marquee>',
  columns: '<table background=LOAD><tr><td colspan="2 onclick=alert(1)" rowspan=3 background=LOAD>a</table>',
};
