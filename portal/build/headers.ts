/**
 * `_headers` of the static files: a strict content security policy, isolation for WebAssembly threads, caching by name.
 */
import { createHash } from 'node:crypto';

/** Inline scripts of the page (the one that sets the theme before the first paint) are allowed by their hash only. */
const inlineHashes = (html: string): string[] =>
  Array.from(
    html.matchAll(/<script>([\s\S]*?)<\/script>/g),
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );

const policy = (html: string): string =>
  [
    "default-src 'none'",
    // WebAssembly may be compiled (the playground); JavaScript may not be made from text.
    `script-src 'self' 'wasm-unsafe-eval' ${inlineHashes(html).join(' ')}`.trim(),
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const headersFile = (html: string): string => `/*
  Content-Security-Policy: ${policy(html)}
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  Cross-Origin-Resource-Policy: same-origin
  X-Content-Type-Options: nosniff
  X-Frame-Options: DENY
  Referrer-Policy: strict-origin-when-cross-origin
  Permissions-Policy: camera=(), microphone=(), geolocation=(), payment=(), usb=()
  Strict-Transport-Security: max-age=31536000; includeSubDomains

/assets/*
  Cache-Control: public, max-age=31536000, immutable

/parts/*
  Cache-Control: public, max-age=31536000, immutable

/runtime/*
  Cache-Control: public, max-age=3600
`;
