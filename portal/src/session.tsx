/** Who is signed in, and how the service is set up. Read once, shared by every page. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Me, PortalConfig, SessionAnswer } from '../../shared/portal-api.ts';
import { type Permission, roleMay } from '../../shared/roles.ts';
import { get, post, showAccount, whenAccountGone, whenRoleChanged, whenSignedOut } from './api.ts';
import { forgetKeys } from './held-keys.ts';

export type Session = {
  readonly config: PortalConfig | undefined;
  /** Undefined while unknown, null when nobody is signed in. */
  readonly me: Me | null | undefined;
  /** A session was there and has ended by itself. */
  readonly isOver: boolean;
  readonly refresh: () => Promise<void>;
  readonly signOut: () => Promise<void>;
  /** Another account of the user's: every page begins anew in it. Answers the refusal, if any. */
  readonly choose: (accountId: string) => Promise<void>;
  /** The user is no member of the account that was shown before. */
  readonly isMoved: boolean;
};

export const SessionContext = createContext<Session>({
  config: undefined,
  me: undefined,
  isOver: false,
  refresh: async () => {},
  signOut: async () => {},
  choose: async () => {},
  isMoved: false,
});
export const useSession = (): Session => useContext(SessionContext);

/** What the user's role in the account allows; false while nobody is signed in. */
export const useMay = (): ((permission: Permission) => boolean) => {
  const { me } = useSession();
  return (permission) => me != null && roleMay(me.role, permission);
};

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
  const [isMoved, setMoved] = useState(false);
  const refresh = async (): Promise<void> => {
    const answer = await get<SessionAnswer>('/session');
    // A lost connection says nothing about who is signed in.
    if (!answer.ok) return;
    showAccount(answer.value.me?.account.account_id);
    setMe(answer.value.me);
    if (answer.value.me) setOver(false);
    if (answer.value.moved) setMoved(true);
  };
  // What a page of one account has in memory, keys above all, must not be there in the next.
  const beginIn = async (path: string): Promise<void> => {
    forgetKeys();
    showAccount(undefined);
    await refresh();
    navigate(path, true);
  };
  const choose = async (accountId: string): Promise<void> => {
    setMoved(false);
    if ((await post('/session/account', { account_id: accountId })).ok) await beginIn('/overview');
  };
  useEffect(() => {
    void get<PortalConfig>('/config').then((answer) => answer.ok && setConfig(answer.value));
    void refresh();
    whenSignedOut(() => {
      forgetKeys();
      setOver(true);
      setMe(null);
    });
    whenAccountGone(() => void beginIn('/overview'));
    whenRoleChanged(() => void refresh());
  }, []);
  const signOut = async (): Promise<void> => {
    await post('/auth/sign-out');
    forgetKeys();
    setOver(false);
    setMoved(false);
    showAccount(undefined);
    setMe(null);
    navigate('/sign-in');
  };
  return { config, me, isOver, refresh, signOut, choose, isMoved };
};
