/** The portal's components rendered in Node: the documentation's pages, the public pages whole, and the drawing. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { openapiDocument } from '../../edge/http/openapi.ts';
import { UNKNOWN_ORIGIN } from '../../shared/paths.ts';
import type { RenderedPage } from '../src/docs/built.ts';

export type Rendered = {
  readonly documents: readonly RenderedPage[];
  readonly pages: readonly RenderedPage[];
  readonly figure: string;
};

/** `publicPaths` are rendered whole. `aside` is a folder for what the build leaves; it is removed. */
export const renderPages = async (portal: string, publicPaths: readonly string[], aside: string): Promise<Rendered> => {
  await build({
    configFile: join(portal, 'vite.config.ts'),
    logLevel: 'warn',
    build: {
      ssr: join(portal, 'src', 'rendered.tsx'),
      outDir: aside,
      copyPublicDir: false,
      rollupOptions: { output: { entryFileNames: 'rendered.mjs' } },
    },
  });
  try {
    const { render } = (await import(pathToFileURL(join(aside, 'rendered.mjs')).href)) as {
      render: (paths: readonly string[], document: unknown) => Promise<Rendered>;
    };
    return await render(publicPaths, JSON.parse(JSON.stringify(openapiDocument(UNKNOWN_ORIGIN))));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
};
