/**
 * Cloudflare Turnstile, where the server is configured with it. Its token goes with the call that it guards and works
 * once.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from './session.tsx';

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
const HEADER = 'x-captcha-response';

type Widget = {
  readonly render: (
    element: HTMLElement,
    options: { sitekey: string; callback: (token: string) => void; 'expired-callback': () => void },
  ) => string;
  readonly reset: (id: string) => void;
  readonly remove: (id: string) => void;
};
const widget = (): Widget | undefined => (globalThis as { turnstile?: Widget }).turnstile;

let loading: Promise<void> | undefined;
const load = (): Promise<void> =>
  (loading ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.onload = () => done();
    script.onerror = failed;
    document.head.append(script);
  }));

export type HumanCheck = {
  /** Goes into the form; nothing where no check is configured. */
  readonly field: preact.JSX.Element | null;
  /** False until the visitor has passed. */
  readonly passed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** After each call, whatever its answer: a token is spent with it. */
  readonly again: () => void;
};

export const useHumanCheck = (): HumanCheck => {
  const siteKey = useSession().config?.turnstile_site_key ?? null;
  const place = useRef<HTMLDivElement>(null);
  const id = useRef<string>(undefined);
  const [token, setToken] = useState<string>();
  useEffect(() => {
    if (siteKey === null) return;
    // Reached by a link within the portal, the document still has the isolation of the page before, which the frame
    // cannot have. Loaded afresh, this page comes without.
    if (crossOriginIsolated) return location.reload();
    load().then(
      () => {
        if (!place.current) return;
        id.current = widget()?.render(place.current, {
          sitekey: siteKey,
          callback: setToken,
          'expired-callback': () => setToken(undefined),
        });
      },
      () => undefined,
    );
    return () => {
      if (id.current !== undefined) widget()?.remove(id.current);
    };
  }, [siteKey]);
  const again = (): void => {
    setToken(undefined);
    if (id.current !== undefined) widget()?.reset(id.current);
  };
  return {
    field: siteKey === null ? null : <div ref={place} />,
    passed: siteKey === null || token !== undefined,
    headers: token === undefined ? {} : { [HEADER]: token },
    again,
  };
};

/** From a page with a check to one without: by a full load where there is one, so that the next page is isolated again. */
export const leaveTo = (path: string, isChecked: boolean, navigate: (path: string, replace: boolean) => void): void =>
  isChecked ? location.replace(path) : navigate(path, true);
