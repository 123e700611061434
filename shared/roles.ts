/** Who may do what in an account of the portal. The one table: the edge refuses by it, the pages hide by it. */
export const roles = ['owner', 'developer', 'billing'] as const;
export type Role = (typeof roles)[number];

const allowed = {
  /** Balance, use by day, who the members are, leaving. */
  overview: roles,
  /** API keys, and the signing secret of webhooks. */
  keys: ['owner', 'developer'],
  /** Photos, results, batches, the request log. */
  images: ['owner', 'developer'],
  /** Deliveries with their bodies, tests, endpoints. */
  webhooks: ['owner', 'developer'],
  /** How long results are kept, and their deletion. */
  data: ['owner', 'developer'],
  /** Purchases, receipts, invoices, ledger, spending, the low-balance mail; automatic top-up. */
  billing: ['owner', 'billing'],
  /** The audit log. */
  activity: ['owner'],
  /** Who is a member, and as what; invitations. */
  members: ['owner'],
  /** The account's deletion. */
  account: ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof allowed;
export const permissions = Object.keys(allowed) as readonly Permission[];

export const roleMay = (role: Role, permission: Permission): boolean =>
  (allowed[permission] as readonly Role[]).includes(role);
