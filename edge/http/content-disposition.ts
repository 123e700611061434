/** Content-Disposition of a download (RFC 6266): an ASCII name for old clients, the exact one by RFC 8187. Pure. */
const encoded = (filename: string): string =>
  encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

export const contentDisposition = (filename: string): string => {
  const ascii = filename
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_')
    .replace(/["\\%]/g, '_');
  return ascii === filename
    ? `attachment; filename="${ascii}"`
    : `attachment; filename="${ascii}"; filename*=UTF-8''${encoded(filename)}`;
};

const attachmentTypes = { zip: 'application/zip', csv: 'text/csv; charset=utf-8' } as const;
export type AttachmentType = keyof typeof attachmentTypes;

/** Of a file that is made for this request. */
export const attachmentHeaders = (filename: string, type: AttachmentType) => ({
  'content-type': attachmentTypes[type],
  'content-disposition': contentDisposition(filename),
  'x-content-type-options': 'nosniff',
});
