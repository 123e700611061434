/** Requests as clients of remove.bg were seen to send them: same path, headers, form and order of parts. */
import { photo } from '../support/service.ts';

export const REMOVEBG = '/v1.0/removebg';
export const URL_OF_PHOTO = 'https://photos.shop.com/0.jpg';

export type Recorded = { readonly headers: Record<string, string>; readonly body: Uint8Array<ArrayBuffer> | string };

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (c) => c.charCodeAt(0));
const joined = (...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
};

type Part = { readonly head: string; readonly content: string | Uint8Array };
const field = (name: string, content: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"\r\n`,
  content,
});
const file = (name: string, type?: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="photo.jpg"\r\n${type ? `Content-Type: ${type}\r\n` : ''}`,
  content: photo(),
});
/** `end`: what follows the last boundary. */
const multipart = (boundary: string, parts: readonly Part[], end: string): Uint8Array<ArrayBuffer> =>
  joined(
    ...parts.flatMap(({ head, content }) => [
      bytesOf(`--${boundary}\r\n${head}\r\n`),
      typeof content === 'string' ? bytesOf(content) : content,
      bytesOf('\r\n'),
    ]),
    bytesOf(`--${boundary}--${end}`),
  );

export const base64Photo = (): string => photo().toBase64();

/** npm `remove.bg` 1.3.0. It leaves out what was not set, and the line break at the end of a form. */
export const npm = {
  file: (key: string, fields: Record<string, string> = {}): Recorded => {
    const boundary = '--------------------------922240097498364018536940';
    const all = { size: 'preview', type: 'auto', crop: 'false', ...fields };
    const parts = [...Object.entries(all).map(([name, text]) => field(name, text)), file('image_file', 'image/jpeg')];
    return {
      headers: {
        'x-api-key': key,
        accept: 'application/json',
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: multipart(boundary, parts, ''),
    };
  },
  json: (key: string, options: Record<string, unknown>): Recorded => ({
    headers: { 'x-api-key': key, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ size: 'preview', type: 'auto', crop: false, ...options }),
  }),
};

/** PyPI `removebg` 0.4, by requests. */
export const pypi = {
  file: (key: string, fields: Record<string, string>): Recorded => {
    const boundary = '860f1e4ed2c978e03cf4de15f21d013b';
    const parts = [...Object.entries(fields).map(([name, text]) => field(name, text)), file('image_file')];
    return {
      headers: { 'x-api-key': key, accept: '*/*', 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: multipart(boundary, parts, '\r\n'),
    };
  },
  form: (key: string, fields: Record<string, string>): Recorded => ({
    headers: { 'x-api-key': key, accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  }),
};

/** remove.bg's own command line, in Go: the files come first, and nothing says what is accepted. */
export const go = {
  file: (key: string, fields: Record<string, string>, files: readonly string[] = ['image_file']): Recorded => {
    const boundary = '8492f1dd625c0de77c7c946ee5d0cc469f5e1bf9e7e07103148df524acbb';
    const parts = [
      ...files.map((name) => file(name, 'application/octet-stream')),
      ...Object.entries(fields).map(([name, text]) => field(name, text)),
    ];
    return {
      headers: {
        'x-api-key': key,
        'user-agent': 'remove-bg-go-dev',
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: multipart(boundary, parts, '\r\n'),
    };
  },
};
