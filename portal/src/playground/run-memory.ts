/**
 * A run that is under way, so that its result comes back after a reload: it is charged whether or not the page is still
 * there. No secret is kept, only the run's Idempotency-Key and the file's name, for this tab.
 */
const PLACE = 'packshot.run';

export type OpenRun = { readonly idempotencyKey: string; readonly name: string };

export const noteRun = (run: OpenRun): void => {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(run));
  } catch {
    // Without storage the run goes on all the same.
  }
};

export const forgetRun = (): void => {
  try {
    sessionStorage.removeItem(PLACE);
  } catch {}
};

export const openRun = (): OpenRun | undefined => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null') as Partial<OpenRun> | null;
    return kept?.idempotencyKey && kept.name ? { idempotencyKey: kept.idempotencyKey, name: kept.name } : undefined;
  } catch {
    return undefined;
  }
};
