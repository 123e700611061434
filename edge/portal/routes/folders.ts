/** Photos that were dropped together: made, listed, followed while they run, and downloaded as a whole. */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { isId, newId } from '../../../shared/ids.ts';
import { limits } from '../../../shared/limits.ts';
import { optionsFromFields, resolveOptions } from '../../../shared/options.ts';
import type { FolderDetail, FolderPage, FolderRow } from '../../../shared/portal-api.ts';
import type { FolderWithBatches } from '../../account/folders/port.ts';
import {
  arrivingPositions,
  type OpenFolderBatch,
  openBatches,
  photosOf,
  photosWithReplaced,
} from '../../folder/photos.ts';
import { attachmentHeaders } from '../../http/content-disposition.ts';
import { archiveName, archivePart, archiveParts, archiveStream, partOf } from '../../results/archive.ts';
import { resultSlots, type ShownImage } from '../../results/files.ts';
import { resultsCsv } from '../../results/table.ts';
import type { PortalDeps } from '../deps.ts';
import { folderCounts, folderPhoto, folderRow } from '../folder-answers.ts';
import { accountOf, type PortalContext, refuse } from '../guard.ts';
import { bodyOf } from '../read-body.ts';

const newFolder = z.strictObject({
  name: z.string().trim().min(1).max(limits.folders.nameCharsMax),
  key_id: z.string().refine((id) => isId('apiKey', id)),
  fields: z.record(z.string().max(40), z.string().max(200)),
  photos: z.number().int().min(1).max(limits.folders.photosMax),
});

export const folderRoutes = (deps: PortalDeps): Hono<PortalContext> =>
  new Hono<PortalContext>()
    .get('/folders', (c) => list(c, deps))
    .post('/folders', (c) => make(c, deps))
    .get('/folders/:id', (c) => detail(c, deps))
    .get('/folders/:id/results.zip', (c) => archive(c, deps))
    .get('/folders/:id/results.csv', (c) => table(c, deps));

const list = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const { cursor } = c.req.query();
  if (cursor && !isId('folder', cursor)) return refuse(400, 'invalid_request', 'This is not a cursor.');
  const user = c.get('user');
  const { folders, keys } = await accountOf(deps, user);
  const [page, known] = await Promise.all([folders.folders({ cursor: cursor || null }), keys.listKeys()]);
  const begun = page.rows.filter(({ batches }) => batches.length > 0);
  const rows = await Promise.all(
    begun.map(async (folder) => ({
      ...folderRow(folder, known),
      counts: await folderCounts(deps.services, user.accountId, folder),
    })),
  );
  return c.json({ rows, next_cursor: page.next } satisfies FolderPage);
};

const make = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const body = await bodyOf(c, newFolder);
  if (!body)
    return refuse(
      400,
      'invalid_request',
      `A name, a key, options and 1 to ${limits.folders.photosMax} photos are needed.`,
    );
  const options = resolveOptions(optionsFromFields(new Map(Object.entries(body.fields))));
  if (!options.ok) return refuse(400, options.failure.code, options.failure.detail ?? 'These options cannot be used.');
  const { folders, keys } = await accountOf(deps, c.get('user'));
  const key = (await keys.listKeys()).find(({ keyId }) => keyId === body.key_id);
  if (!key || key.revokedAtMs !== null) return refuse(404, 'not_found', 'No such key.');
  const { clock, randomBytes } = deps.services;
  const folder = {
    folderId: newId('folder', clock.nowMs(), randomBytes),
    name: body.name,
    keyId: body.key_id,
    fields: body.fields,
    photos: body.photos,
  };
  await folders.addFolder(folder);
  return c.json(folderRow({ ...folder, batches: [] }, [key]) satisfies FolderRow, 201);
};

/** Undefined where the account has none of that id. */
const folderOf = async (c: Context<PortalContext>, deps: PortalDeps): Promise<FolderWithBatches | undefined> => {
  const id = c.req.param('id') ?? '';
  return isId('folder', id) ? (await accountOf(deps, c.get('user'))).folders.folder(id) : undefined;
};
const noFolder = (): Response => refuse(404, 'not_found', 'No such batch.');

/** The batches asked for, and those that have other photos of the same positions: they decide together what is shown. */
const withSamePositions = ({ batches }: FolderWithBatches, asked: readonly string[]) => {
  const meant = batches.filter(({ batchId }) => asked.includes(batchId));
  const positions = new Set(meant.flatMap((batch) => batch.positions));
  return { positions, batches: batches.filter((batch) => batch.positions.some((position) => positions.has(position))) };
};

/** `batch`, repeated: the photos of these only, such as those that were still running. */
const detail = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const folder = await folderOf(c, deps);
  if (!folder) return noFolder();
  const user = c.get('user');
  const asked = c.req.queries('batch');
  const { batches, positions } = asked ? withSamePositions(folder, asked) : { ...folder, positions: undefined };
  const [open, { keys }] = await Promise.all([
    openBatches(deps.services, user.accountId, batches),
    accountOf(deps, user),
  ]);
  const shown = photosOf(open).filter(({ position }) => !positions || positions.has(position));
  return c.json({
    folder: folderRow(folder, await keys.listKeys()),
    photos: await Promise.all(shown.map((photo) => folderPhoto(deps.services, photo))),
    arriving: arrivingPositions(batches, open, deps.services.clock.nowMs()),
    running: open.filter(({ batch }) => batch.completedAtMs === null).map(({ batchId }) => batchId),
    credits: open.map(({ batchId, batch: { credits } }) => ({ batch_id: batchId, ...credits })),
    archives: archiveParts(resultSlots(shown, deps.services.clock.nowMs())),
  } satisfies FolderDetail);
};

const imagesOf = async (
  c: Context<PortalContext>,
  deps: PortalDeps,
  folder: FolderWithBatches,
  which: (open: readonly OpenFolderBatch[]) => readonly ShownImage[],
): Promise<readonly ShownImage[]> => which(await openBatches(deps.services, c.get('user').accountId, folder.batches));

/** A name that every disk takes. */
const fileStem = ({ name }: FolderWithBatches): string =>
  name.replace(/[^\p{L}\p{N}\p{M} ._-]+/gu, '-').replace(/^[. -]+|[. -]+$/g, '') || 'batch';

const archive = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const folder = await folderOf(c, deps);
  if (!folder) return noFolder();
  const slots = resultSlots(await imagesOf(c, deps, folder, photosOf), deps.services.clock.nowMs());
  const part = archivePart(slots, partOf(c.req.query('part')));
  if (!part) return refuse(400, 'invalid_request', 'This is not the number of an archive.');
  const headers = attachmentHeaders(archiveName(fileStem(folder), part), 'zip');
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const stream = archiveStream(deps.services, part, (work) => c.executionCtx.waitUntil(work));
  return c.body(stream, 200, headers);
};

/** Its credits add up to what was charged: a result that another one replaced has a row of its own. */
const table = async (c: Context<PortalContext>, deps: PortalDeps): Promise<Response> => {
  const folder = await folderOf(c, deps);
  if (!folder) return noFolder();
  const text = await resultsCsv(deps.services, await imagesOf(c, deps, folder, photosWithReplaced), 'owner');
  return c.body(text, 200, attachmentHeaders(`${fileStem(folder)}.csv`, 'csv'));
};
