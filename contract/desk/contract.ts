/** The calls of the operator's desk with the schemas of their inputs and outputs; `wire.ts` has the rest of each. */
import type * as z from 'zod'
import * as s from './schemas.ts'
import * as b from './schemas.bulk.ts'
import * as k from './schemas.connections.ts'
import * as w from './schemas.content.ts'
import * as u from './schemas.customer.ts'
import * as c from './schemas.customers.ts'
import * as g from './schemas.margin.ts'
import * as m from './schemas.money.ts'
import * as f from './schemas.receipts.ts'
import * as e from './schemas.person.ts'
import * as n from './schemas.network.ts'
import * as l from './schemas.places.ts'
import * as promo from './schemas.promo.ts'
import * as p from './schemas.settings.ts'
import * as r from './schemas.reports.ts'
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
  my_alerts: { input: s.empty, output: p.myAlerts },
  set_my_alerts: { input: p.setMyAlertsInput, output: s.done },
  my_views: { input: b.viewsInput, output: b.views },
  save_view: { input: b.saveViewInput, output: b.savedView },
  remove_view: { input: b.viewInput, output: s.done },
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
  customer_usage_by: { input: u.usageByInput, output: u.usageByPage },
  customer_hosts: { input: u.hostsInput, output: u.hostsPage },
  customer_promo_uses: { input: u.promoUsesInput, output: u.promoUsesPage },
  customer_letters: { input: u.lettersInput, output: u.lettersPage },
  customer_limits: { input: u.limitsInput, output: u.limitsOfPools },
  set_customer_limits: { input: u.setLimitsInput, output: s.done },
  live_connections: { input: u.liveInput, output: u.live },
  cut_connections: { input: u.cutInput, output: s.done },
  reset_access: { input: u.resetAccessInput, output: u.accessReset },
  see_as_customer: { input: u.seeAsInput, output: u.seeAsLink },
  resend_confirmation: { input: u.resendInput, output: s.done },
  give_traffic: { input: c.giveTrafficInput, output: c.movedBytes },
  take_traffic: { input: c.takeTrafficInput, output: c.movedBytes },
  give_money: { input: c.moneyInput, output: c.movedMicros },
  take_money: { input: c.moneyInput, output: c.movedMicros },
  block_customer: { input: c.blockInput, output: c.changed },
  unblock_customer: { input: c.unblockInput, output: c.changed },
  end_customer_sessions: { input: c.endSessionsInput, output: t.ended },
  add_note: { input: c.addNoteInput, output: c.note },
  remove_note: { input: c.removeNoteInput, output: s.done },
  try_bulk: { input: b.tryBulkInput, output: b.triedBulk },
  add_tag: { input: b.addTagInput, output: c.changed },
  send_letter: { input: b.sendLetterInput, output: s.done },
  set_tags: { input: c.setTagsInput, output: s.done },
  export_customer: { input: e.exportInput, output: e.download },
  preview_erasure: { input: e.previewErasureInput, output: e.erasurePreview },
  erase_customer: { input: e.eraseInput, output: e.erased },
  decline_erasure: { input: e.declineErasureInput, output: c.changed },
  sign_up_countries: { input: s.empty, output: c.countryList },
  tags: { input: s.empty, output: c.tagList },

  invoices: { input: m.invoicesInput, output: m.invoicesPage },
  invoice_sums: { input: m.invoiceSumsInput, output: m.invoiceSums },
  invoice: { input: m.invoiceInput, output: m.invoice },
  invoice_document: { input: m.invoiceDocumentInput, output: m.invoiceDocument },
  refund_invoice: { input: m.refundInput, output: m.refunded },
  test_purchase: { input: m.testPurchaseInput, output: m.testPurchase },
  ask_processor: { input: m.askProcessorInput, output: m.judged },
  replay_payment_event: { input: m.replayInput, output: m.judged },
  payment_events: { input: m.paymentEventsInput, output: m.paymentEventsPage },
  payment_refunds: { input: m.paymentRefundsInput, output: m.paymentRefundsPage },
  receipts: { input: f.receiptsInput, output: f.receiptsPage },
  register_receipt: { input: f.registerReceiptInput, output: s.done },
  disputes: { input: m.disputesInput, output: m.disputesPage },
  processors: { input: s.empty, output: m.processors },
  payment_event: { input: m.paymentEventInput, output: m.paymentEvent },

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
  exit_figures: { input: s.empty, output: n.exitFigures },
  exit_costs: { input: n.exitCostsInput, output: n.exitCostsPage },
  set_exit_cost: { input: n.setExitCostInput, output: s.done },
  exit_stocks: { input: s.empty, output: n.exitStocks },
  set_exit_stock: { input: n.setExitStockInput, output: s.done },
  exit_presets: { input: s.empty, output: n.exitPresets },
  exit_refusals: { input: k.exitRefusalsInput, output: k.exitRefusalsPage },
  add_exit: { input: n.addExitInput, output: n.addedExit },
  remove_exit: { input: n.removeExitInput, output: s.done },
  test_exit: { input: n.testExitInput, output: n.exitTest },
  test_new_exit: { input: n.testNewExitInput, output: n.exitTest },

  places: { input: l.placesInput, output: l.placesPage },
  place_sources: { input: s.empty, output: l.placeSources },
  preview_places: { input: l.previewPlacesInput, output: l.placesPreview },
  import_places: { input: l.importPlacesInput, output: l.importedPlaces },
  restore_places: { input: l.restorePlacesInput, output: l.importedPlaces },
  remove_places: { input: l.removePlacesInput, output: s.done },

  prices: { input: s.empty, output: m.prices },
  price_changes: { input: m.priceChangesInput, output: m.priceChangesPage },
  preview_prices: { input: m.pricesInput, output: m.pricePreview },
  change_prices: { input: m.changePricesInput, output: m.prices },
  promo_codes: { input: promo.promoCodesInput, output: promo.promoCodesPage },
  promo_code_uses: { input: promo.promoCodeUsesInput, output: promo.promoCodeUsesPage },
  promo_code_days: { input: promo.promoCodeDaysInput, output: promo.promoCodeDays },
  create_promo_codes: { input: promo.createPromoInput, output: promo.createdCodes },
  change_promo_code: { input: promo.changePromoInput, output: s.done },
  stop_promo_code: { input: promo.stopPromoInput, output: s.done },
  campaigns: { input: m.campaignsInput, output: m.campaignsPage },
  referral_share: { input: s.empty, output: m.referralShare },
  set_referral_share: { input: m.setReferralShareInput, output: s.done },

  content: { input: s.empty, output: w.content },
  save_draft: { input: w.saveDraftInput, output: s.done },
  discard_draft: { input: w.partInput, output: s.done },
  publish_content: { input: w.publishContentInput, output: w.publishedVersion },
  content_versions: { input: w.contentVersionsInput, output: w.contentVersionsPage },
  content_version: { input: w.versionInput, output: w.contentVersion },
  restore_content: { input: w.restoreContentInput, output: w.publishedVersion },
  upload_picture: { input: w.uploadPictureInput, output: w.brandPicture },
  brand_picture: { input: w.brandPictureInput, output: w.bannerPicture },
  banners: { input: s.empty, output: w.banners },
  banner_picture: { input: w.bannerInput, output: w.bannerPicture },
  publish_banner: { input: w.publishBannerInput, output: w.madeBanner },
  remove_banner: { input: w.bannerInput, output: s.done },

  month_books: { input: s.empty, output: r.monthBooks },
  margin_report: { input: g.marginInput, output: g.marginPage },
  exit_margins: { input: s.empty, output: g.exitMargins },
  report: { input: r.reportInput, output: r.reportPage },
  postings: { input: r.postingsInput, output: r.postingsPage },
  today: { input: s.empty, output: n.today },

  settings: { input: s.empty, output: p.settings },
  setting_changes: { input: p.settingChangesInput, output: p.settingChangesPage },
  alert_settings: { input: s.empty, output: p.alertSettings },
  set_alert_settings: { input: p.setAlertSettingsInput, output: s.done },
  make_alert_code: { input: s.empty, output: p.alertCode },
  unlink_alert_group: { input: s.empty, output: c.changed },
  test_alert: { input: s.empty, output: s.done },
  change_setting: { input: p.changeSettingInput, output: c.changed },

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
