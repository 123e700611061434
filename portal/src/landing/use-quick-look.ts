/**
 * A first picture of a visitor's photo, made by the service while this browser still loads the model. Only a small copy is
 * sent, and only where the browser is not done soon. Whatever fails is left out: the browser's own preview is on its way.
 */
import { useEffect, useState } from 'preact/hooks';
import { base64 } from '../../../shared/base64.ts';
import { limits } from '../../../shared/limits.ts';
import type { QuickLookAnswer } from '../../../shared/portal-api.ts';
import { call } from '../api.ts';
import { jpegOf } from '../playground/jpeg-of.ts';

/** A browser that has the model already is done by then. */
const PATIENCE_MS = 1_500;
const QUALITIES = [0.85, 0.6] as const;
const { sideMax, imageBytesMax } = limits.quickLook;

/** In base64; undefined for what this browser cannot read. */
const smallCopy = async (file: File): Promise<string | undefined> => {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return undefined;
  const scale = Math.min(1, sideMax / Math.max(bitmap.width, bitmap.height));
  const size = { width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale) };
  for (const quality of QUALITIES) {
    const blob = await jpegOf({ bitmap, ...size }, quality);
    if (blob && blob.size <= imageBytesMax) {
      bitmap.close();
      return base64(new Uint8Array(await blob.arrayBuffer()));
    }
  }
  bitmap.close();
  return undefined;
};

const lookAt = async (file: File, signal: AbortSignal): Promise<string | undefined> => {
  const image = await smallCopy(file);
  if (image === undefined || signal.aborted) return undefined;
  const answer = await call<QuickLookAnswer>('POST', '/quick-look', { image }, signal);
  return answer.ok ? `data:image/jpeg;base64,${answer.value.image}` : undefined;
};

/** A URL to show it by. `isNeeded`: a preview is being made and is not there yet. */
export const useQuickLook = (file: File | undefined, isNeeded: boolean): string | undefined => {
  const [look, setLook] = useState<{ readonly file: File; readonly url: string }>();
  useEffect(() => {
    if (!file || !isNeeded) return;
    const stopping = new AbortController();
    const timer = setTimeout(() => {
      lookAt(file, stopping.signal).then(
        (url) => url !== undefined && !stopping.signal.aborted && setLook({ file, url }),
        () => undefined,
      );
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [file, isNeeded]);
  return look?.file === file ? look?.url : undefined;
};
