/** Who is signed in, and how the service is set up. Read once, shared by every page. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Me, PortalConfig, SessionAnswer } from '../../shared/portal-api.ts';
import { get, post, whenSignedOut } from './api.ts';
import { forgetKeys } from './held-keys.ts';

export type Session = {
  readonly config: PortalConfig | undefined;
  /** Undefined while unknown, null when nobody is signed in. */
  readonly me: Me | null | undefined;
  /** A session was there and has ended by itself. */
  readonly isOver: boolean;
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
};

export const SessionContext = createContext<Session>({
  config: undefined,
  me: undefined,
  isOver: false,
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
  const [isOver, setOver] = useState(false);
  const refresh = async (): Promise<void> => {
    const answer = await get<SessionAnswer>('/session');
    // A lost connection says nothing about who is signed in.
    if (!answer.ok) return;
    setMe(answer.value.me);
    if (answer.value.me) setOver(false);
  };
  useEffect(() => {
    void get<PortalConfig>('/config').then((answer) => answer.ok && setConfig(answer.value));
    void refresh();
    whenSignedOut(() => {
      forgetKeys();
      setOver(true);
      setMe(null);
    });
  }, []);
  const signOut = async (): Promise<void> => {
    await post('/auth/sign-out');
    forgetKeys();
    setOver(false);
    setMe(null);
    navigate('/sign-in');
  };
  return { config, me, isOver, refresh, signOut };
};
