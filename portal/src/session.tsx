/** Who is signed in, and how the service is set up. Read once, shared by every page. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Me, PortalConfig, SessionAnswer } from '../../shared/portal-api.ts';
import { get, post } from './api.ts';
import { forgetKeys } from './held-keys.ts';

export type Session = {
  readonly config: PortalConfig | undefined;
  /** Undefined while unknown, null when nobody is signed in. */
  readonly me: Me | null | undefined;
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
};

export const SessionContext = createContext<Session>({
  config: undefined,
  me: undefined,
  refresh: async () => {},
  signOut: async () => {},
});
export const useSession = (): Session => useContext(SessionContext);

/** The account of a signed-in page; such pages are only rendered with one. */
export const useMe = (): Me => {
  const { me } = useSession();
  if (!me) throw new Error('page rendered without a session');
  return me;
};

export const useSessionState = (): Session => {
  const { route: navigate } = useLocation();
  const [config, setConfig] = useState<PortalConfig>();
  const [me, setMe] = useState<Me | null>();
  const refresh = async (): Promise<void> => {
    const answer = await get<SessionAnswer>('/session');
    // A lost connection says nothing about who is signed in.
    if (answer.ok) setMe(answer.value.me);
  };
  useEffect(() => {
    void get<PortalConfig>('/config').then((answer) => answer.ok && setConfig(answer.value));
    void refresh();
  }, []);
  const signOut = async (): Promise<void> => {
    await post('/auth/sign-out');
    forgetKeys();
    setMe(null);
    navigate('/sign-in');
  };
  return { config, me, refresh, signOut };
};
