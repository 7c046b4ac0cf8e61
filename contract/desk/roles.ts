/**
 * Who of the people behind the shop may do what. A call of the desk names the one permission that it needs
 * (wire.ts); a role is a set of permissions. What is not granted here is denied.
 */

export const permissions = [
  'customers.read',
  /** See e-mail addresses, Telegram names and internet addresses as they are; without it they are masked. */
  'customers.contacts',
  'customers.block',
  'customers.note',
  'customers.letter',
  /**
   * See the shop as a customer sees it, read-only and without secrets; each look needs a reason, which is
   * recorded.
   */
  'customers.see_as',
  /** Change how a customer gets in and what they may reach: new passwords, limits. */
  'customers.access',
  /** Give traffic. Without `customers.adjust` up to a limit a day. */
  'customers.credit',
  /** Give traffic without a daily limit, and take traffic. */
  'customers.adjust',
  /** Download all that the shop holds about a customer. */
  'customers.export',
  /** Erase what names a customer, for ever. */
  'customers.erase',
  'balances.money',
  'invoices.read',
  'invoices.refund',
  /** Download invoices and credit notes, which name the buyer. */
  'invoices.documents',
  'invoices.evidence',
  'payments.read',
  /** Ask a processor about an invoice, and judge its notifications again. */
  'payments.ask',
  /** Buy for the account of tests, to see that a processor works. */
  'payments.test',
  /** Write down fiscal receipts that were registered by hand. */
  'receipts.register',
  /** Send payouts of referral balances by hand, or refuse them; see the wallets. */
  'payouts.send',
  'traffic.read',
  'connections.read',
  /** See which targets a customer reached; each look needs a reason, which is recorded. */
  'connections.targets',
  /** Have a gateway drain, or serve again; revoke its own token. */
  'gateways.change',
  'exits.read',
  'exits.change',
  'prices.read',
  'prices.change',
  'promo.read',
  'promo.change',
  'content.read',
  'content.change',
  'reports.read',
  'settings.read',
  /** Change what may be changed while the shop runs: limits, retention, notices. */
  'settings.change',
  'audit.read',
  'staff.read',
  'staff.manage',
] as const
export type Permission = (typeof permissions)[number]

export const roles = ['owner', 'operator', 'support', 'accountant', 'viewer'] as const
export type Role = (typeof roles)[number]

const reading: readonly Permission[] = [
  'customers.read',
  'invoices.read',
  'payments.read',
  'traffic.read',
  'connections.read',
  'exits.read',
  'prices.read',
  'promo.read',
  'content.read',
  'reports.read',
]

const ofStaff: readonly Permission[] = ['staff.read', 'staff.manage']

const granted: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  operator: new Set(permissions.filter((permission) => !ofStaff.includes(permission))),
  support: new Set<Permission>([
    'customers.read',
    'customers.contacts',
    'customers.block',
    'customers.note',
    'customers.letter',
    'customers.see_as',
    'customers.credit',
    'invoices.read',
    'invoices.documents',
    'connections.read',
    'connections.targets',
  ]),
  accountant: new Set<Permission>([
    'customers.read',
    'customers.contacts',
    'invoices.read',
    'invoices.refund',
    'invoices.documents',
    'payments.read',
    'payments.ask',
    'receipts.register',
    'payouts.send',
    'balances.money',
    'prices.read',
    'promo.read',
    'reports.read',
  ]),
  viewer: new Set(reading),
}

/** Whether a role grants a permission. */
export function may(role: Role, permission: Permission): boolean {
  return granted[role].has(permission)
}
