/** A call of the API from this tab, with one photo and a key that lives in this tab's memory only. */
import type { ImageError } from '../../../shared/api.ts';

export type Refused = { readonly ok: false } & ImageError;
export type Posted<Answer> = { readonly ok: true; readonly answer: Answer; readonly ms: number } | Refused;

export type PhotoCall = {
  readonly path: string;
  readonly file: Blob;
  readonly name: string;
  /** What is product, in place of the model. */
  readonly matte?: Blob | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type Problem = {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly remedy?: string }[];
};

export const postPhoto = async <Answer>(call: PhotoCall): Promise<Posted<Answer>> => {
  const form = new FormData();
  for (const [field, value] of Object.entries(call.fields)) form.append(field, value);
  form.append('files', call.file, call.name);
  if (call.matte) form.append('matte', call.matte, 'matte.png');
  const started = performance.now();
  try {
    const response = await fetch(call.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${call.secret}`, ...call.headers },
      body: form,
      credentials: 'omit',
    });
    const body = (await response.json()) as Answer & Problem;
    if (response.ok) return { ok: true, answer: body, ms: performance.now() - started };
    return {
      ok: false,
      code: body.code ?? `status_${response.status}`,
      detail: body.detail ?? 'The request was refused.',
      remedy: body.errors?.[0]?.remedy,
    };
  } catch {
    return { ok: false, code: 'unreachable', detail: 'The API could not be reached.' };
  }
};
