/** The reasons, states and limits of automatic top-up that the server and the pages share. */

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

/** Why automatic top-up of a pool is off, in addition to `declineReasons`. */
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
 * `intended` and `accepted`: in progress. `awaiting_customer`: the bank requires the customer, who was sent a
 * payment page.
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

/** The number of failed charges in a row that switches automatic top-up off. */
export const mostFailures = 3

/** By how many per cent a charge in another currency than USD may exceed its cost at the present rate. */
export const ratePercent = 10n

/** The maximum number of saved methods of a customer. */
export const mostSavedMethods = 5
