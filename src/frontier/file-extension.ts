/** What no link of a page is read for, by kind. */
const ignored = new Set(
  [
    'zip gz tgz tar bz2 xz 7z rar zst lz cab iso dmg img jar war deb rpm apk ipa msi exe bin dll',
    'jpg jpeg jpe jfif png gif webp avif bmp ico svg svgz tif tiff heic heif jp2 psd psp eps cdr dxf raw mng pct drw',
    'mp3 ogg oga opus flac wav wma aac m4a aif aiff mid midi ra',
    'mp4 m4v mov avi mkv webm wmv flv swf mpg mpeg 3gp 3g2 ogv rm vob asf m3u8',
    'pdf doc docx docm dot dotx xls xlsx xlsm xlsb ppt pptx pps odt ods odp odg rtf epub mobi djvu',
    'css js mjs cjs wasm woff woff2 ttf otf eot pyc',
    'torrent vcf ics kml kmz gpx sqlite db bak',
  ].flatMap((kind) => kind.split(' ')),
);

/** Whether a path ends like a picture, an archive, a document or another file that no page is. */
export function hasIgnoredExtension(path: string): boolean {
  const dot = path.lastIndexOf('.');
  if (dot < 0 || path.length - dot > 9 || path.indexOf('/', dot) >= 0) return false;
  return ignored.has(path.slice(dot + 1).toLowerCase());
}
