/**
 * The permissions of staff. A call of the desk names the one permission that it needs; each permission lists
 * the roles that hold it here. What is not granted here is denied.
 */

export const roles = ['owner', 'operator', 'support', 'accountant', 'viewer'] as const
export type Role = (typeof roles)[number]

/** Each permission with the roles that hold it. The owner holds all permissions. */
const holders = {
  'customers.read': ['operator', 'support', 'accountant', 'viewer'],
  /** See e-mail addresses, Telegram names and IP addresses, which are masked for other members. */
  'customers.contacts': ['operator', 'support', 'accountant'],
  'customers.block': ['operator', 'support'],
  'customers.note': ['operator', 'support'],
  'customers.letter': ['operator', 'support'],
  /**
   * See the shop as a customer sees it, read-only and without secrets; each look needs a reason, which is
   * recorded.
   */
  'customers.see_as': ['operator', 'support'],
  /** Reset a customer's passwords and factors, and change their limits. */
  'customers.access': ['operator'],
  /** Give traffic; for members without `customers.adjust`, up to a daily limit. */
  'customers.credit': ['operator', 'support'],
  /** Give traffic without a daily limit, and take traffic. */
  'customers.adjust': ['operator'],
  /** Download all that the shop holds about a customer. */
  'customers.export': ['operator'],
  /** Permanently erase the personal data of a customer. */
  'customers.erase': ['operator'],
  'balances.money': ['operator', 'accountant'],
  'invoices.read': ['operator', 'support', 'accountant', 'viewer'],
  'invoices.refund': ['operator', 'accountant'],
  /** Download invoices and credit notes, which name the buyer. */
  'invoices.documents': ['operator', 'support', 'accountant'],
  'invoices.evidence': ['operator'],
  'payments.read': ['operator', 'accountant', 'viewer'],
  /** Ask a processor about an invoice, and judge its notifications again. */
  'payments.ask': ['operator', 'accountant'],
  /** Make test purchases, to check that a processor works. */
  'payments.test': ['operator'],
  /** Record fiscal receipts that were registered by hand. */
  'receipts.register': ['operator', 'accountant'],
  /** Send payouts of referral balances by hand, or refuse them; see the wallets. */
  'payouts.send': ['operator', 'accountant'],
  'traffic.read': ['operator', 'viewer'],
  'connections.read': ['operator', 'support', 'viewer'],
  /** See which targets a customer reached; each look needs a reason, which is recorded. */
  'connections.targets': ['operator', 'support'],
  /** Make a gateway drain or serve again, and revoke its own token. */
  'gateways.change': ['operator'],
  /** See whether exits and gateways work at present. */
  'exits.health': ['operator', 'support', 'viewer'],
  'exits.read': ['operator', 'viewer'],
  'exits.change': ['operator'],
  'prices.read': ['operator', 'accountant', 'viewer'],
  'prices.change': ['operator'],
  'promo.read': ['operator', 'accountant', 'viewer'],
  'promo.change': ['operator'],
  'content.read': ['operator', 'viewer'],
  'content.change': ['operator'],
  'status.read': ['operator', 'support', 'viewer'],
  /** Publish incidents on the status page. */
  'status.change': ['operator'],
  'reports.read': ['operator', 'accountant', 'viewer'],
  'settings.read': ['operator'],
  /** Change the settings of the running shop: limits, retention, notices. */
  'settings.change': ['operator'],
  /** Change the keys of payment processors, the mail server, the bot. */
  'settings.keys': [],
  'audit.read': ['operator'],
  'staff.read': [],
  'staff.manage': [],
} as const satisfies Record<string, readonly Exclude<Role, 'owner'>[]>

export type Permission = keyof typeof holders
export const permissions = Object.keys(holders) as Permission[]

/** Whether a role grants a permission. */
export function may(role: Role, permission: Permission): boolean {
  return role === 'owner' || (holders[permission] as readonly Role[]).includes(role)
}
