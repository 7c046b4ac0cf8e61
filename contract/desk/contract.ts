/** The calls of the operator's desk with the schemas of their inputs and outputs; `wire.ts` has the rest of each. */
import type * as z from 'zod'
import * as s from './schemas.ts'
import * as k from './schemas.connections.ts'
import * as c from './schemas.customers.ts'
import * as m from './schemas.money.ts'
import * as n from './schemas.network.ts'
import * as t from './schemas.signin.ts'
import type { DeskName } from './wire.ts'

export const deskContract = {
  session: { input: s.empty, output: t.session },
  sign_in: { input: t.signInInput, output: t.session },
  sign_out: { input: s.empty, output: s.done },
  passkey_challenge: { input: s.empty, output: t.challenge },
  confirm_totp: { input: t.codeInput, output: t.session },
  confirm_recovery_code: { input: t.codeInput, output: t.session },
  confirm_passkey: { input: t.passkeyInput, output: t.session },
  confirm_password: { input: t.passwordInput, output: t.session },
  join_begin: { input: t.joinBeginInput, output: t.joinBegun },
  join_finish: { input: t.joinFinishInput, output: t.recoveryCodes },

  my_sessions: { input: s.empty, output: t.mySessions },
  end_my_session: { input: t.endSessionInput, output: t.ended },
  my_factors: { input: s.empty, output: t.myFactors },
  change_my_password: { input: t.changePasswordInput, output: s.done },
  totp_begin: { input: s.empty, output: t.totpBegun },
  totp_finish: { input: t.codeInput, output: t.recoveryCodes },
  remove_totp: { input: s.empty, output: s.done },
  passkey_begin: { input: s.empty, output: t.challenge },
  passkey_finish: { input: t.passkeyFinishInput, output: t.recoveryCodes },
  remove_passkey: { input: t.removePasskeyInput, output: s.done },
  new_recovery_codes: { input: s.empty, output: t.recoveryCodes },

  find: { input: c.findInput, output: c.found },
  customers: { input: c.customersInput, output: c.customersPage },
  customer: { input: c.customerInput, output: c.customer },
  customer_ledger: { input: c.ledgerInput, output: c.ledgerPage },
  customer_usage: { input: c.usageInput, output: c.usagePage },
  customer_timeline: { input: c.timelineInput, output: c.timelinePage },
  give_traffic: { input: c.giveTrafficInput, output: c.movedBytes },
  take_traffic: { input: c.takeTrafficInput, output: c.movedBytes },
  give_money: { input: c.moneyInput, output: c.movedMicros },
  take_money: { input: c.moneyInput, output: c.movedMicros },
  block_customer: { input: c.blockInput, output: c.changed },
  unblock_customer: { input: c.unblockInput, output: c.changed },
  end_customer_sessions: { input: c.endSessionsInput, output: t.ended },
  add_note: { input: c.addNoteInput, output: c.note },
  remove_note: { input: c.removeNoteInput, output: s.done },
  set_tags: { input: c.setTagsInput, output: s.done },
  tags: { input: s.empty, output: c.tagList },

  invoices: { input: m.invoicesInput, output: m.invoicesPage },
  invoice: { input: m.invoiceInput, output: m.invoice },
  refund_invoice: { input: m.refundInput, output: m.refunded },
  payment_events: { input: m.paymentEventsInput, output: m.paymentEventsPage },
  payment_event: { input: m.paymentEventInput, output: m.paymentEvent },

  traffic: { input: n.trafficInput, output: n.traffic },
  traffic_sums: { input: n.trafficSumsInput, output: n.trafficSums },
  refusals: { input: k.refusalsInput, output: k.refusals },
  gateways: { input: s.empty, output: n.gateways },
  drain_gateway: { input: n.gatewayInput, output: c.changed },
  undrain_gateway: { input: n.gatewayInput, output: c.changed },
  connections: { input: k.connectionsInput, output: k.connectionsPage },
  customer_refusals: { input: k.customerRefusalsInput, output: k.customerRefusalsPage },
  complaint_answer: { input: k.complaintInput, output: k.complaintAnswer },
  exits: { input: s.empty, output: n.exits },
  set_exit: { input: n.setExitInput, output: c.changed },
  test_exit: { input: n.testExitInput, output: n.exitTest },

  prices: { input: s.empty, output: m.prices },
  preview_prices: { input: m.pricesInput, output: m.pricePreview },
  change_prices: { input: m.changePricesInput, output: m.prices },
  promo_codes: { input: m.promoCodesInput, output: m.promoCodesPage },
  create_promo_codes: { input: m.createPromoInput, output: m.createdCodes },
  stop_promo_code: { input: m.stopPromoInput, output: s.done },
  banners: { input: s.empty, output: m.banners },
  publish_banner: { input: m.publishBannerInput, output: m.madeBanner },
  remove_banner: { input: m.bannerInput, output: s.done },

  today: { input: s.empty, output: n.today },

  staff: { input: s.empty, output: t.staff },
  invite_staff: { input: t.inviteInput, output: t.link },
  set_staff_role: { input: t.staffRoleInput, output: s.done },
  reset_staff: { input: t.staffIdInput, output: t.link },
  block_staff: { input: t.staffIdInput, output: s.done },
  unblock_staff: { input: t.staffIdInput, output: s.done },
  end_staff_sessions: { input: t.staffIdInput, output: t.ended },
  audit: { input: t.auditInput, output: t.auditPage },
} as const satisfies Record<DeskName, { input: z.ZodType; output: z.ZodType }>

/** What a caller sends. */
export type DeskInput<N extends DeskName> = z.input<(typeof deskContract)[N]['input']>
/** What a handler receives: the parsed input. */
export type DeskParsed<N extends DeskName> = z.output<(typeof deskContract)[N]['input']>
/** What a handler returns and a caller receives. */
export type DeskOutput<N extends DeskName> = z.output<(typeof deskContract)[N]['output']>
