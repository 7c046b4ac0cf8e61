/** The words of automatic top-up that the server and the pages share. */

/** Why a charge of a saved method failed. */
export const declineReasons = [
  'insufficient_funds',
  'card_expired',
  'declined',
  'restricted',
  'fraud_suspected',
  'permission_revoked',
  'authentication_required',
  'processor_refused',
  'shop_denied',
  'no_answer',
  'method_removed',
  'switched_off',
] as const

/** Why automatic top-up of a pool is off, besides what a charge can fail with. */
export const offReasons = [
  'customer',
  'staff',
  'method_removed',
  'permission_revoked',
  'card_expired',
  'failures',
  'charge_returned',
  'price_raised',
  'pool_off_sale',
  'account_blocked',
  'receipt_email_required',
] as const
export type OffReason = (typeof offReasons)[number]

/**
 * `intended` and `accepted`: under way. `awaiting_customer`: the bank asks for the customer, who was sent a
 * page to pay on.
 */
export const chargeStates = [
  'intended',
  'accepted',
  'authentication',
  'awaiting_customer',
  'succeeded',
  'failed',
] as const
export type ChargeState = (typeof chargeStates)[number]

/** So many failed charges in a row switch it off. */
export const mostFailures = 3

/** What a charge in another currency than USD may cost more than at the present rate, in per cent. */
export const ratePercent = 10n

/** The most saved methods of a customer. */
export const mostSavedMethods = 5
