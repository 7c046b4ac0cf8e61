/**
 * The calls of the API with the schemas of their inputs and outputs.
 *
 * `wire.ts` has the method, the path and the callers of each call. The server parses inputs and outputs with these
 * schemas; the web, the bot and the tests derive their types from them.
 */
import type * as z from 'zod'
import * as s from './schemas.ts'
import * as limits from './schemas.limits.ts'
import * as requests from './schemas.requests.ts'
import * as site from './schemas.site.ts'
import * as referral from './referral/schemas.ts'
import * as security from './security/schemas.ts'
import type { Name } from './wire.ts'

interface Schemas {
  input: z.ZodType
  output: z.ZodType
}

export const contract = {
  // Prices
  prices: { input: s.empty, output: s.prices },
  calculate: { input: s.calculateInput, output: s.discounts },
  payment_systems: { input: s.empty, output: s.paymentSystems },
  discount_promocode_info: { input: s.promocodeInfoInput, output: s.promocodeInfo },

  // Buying
  create_invoice_web: { input: s.invoiceInput, output: s.text },
  display_currency: { input: s.empty, output: s.displayCurrency },
  set_display_currency: { input: s.displayCurrencyInput, output: s.displayCurrency },
  receipt_email: { input: s.empty, output: s.receiptEmail },
  set_receipt_email: { input: s.receiptEmailInput, output: s.receiptEmail },
  get_top_ups: { input: s.empty, output: limits.topUps },
  top_up_consent: { input: limits.topUpConsentInput, output: limits.topUpConsent },
  set_top_up: { input: limits.setTopUpInput, output: limits.topUps },
  switch_off_top_up: { input: limits.switchOffTopUpInput, output: limits.topUps },
  remove_saved_method: { input: limits.removeSavedMethodInput, output: limits.topUps },
  referral_payment: { input: s.referralPaymentInput, output: s.referralPaymentOutput },
  invoices: { input: s.invoicesInput, output: s.invoices },
  invoice: { input: s.invoiceNumberInput, output: s.invoice },
  invoice_documents: { input: s.invoiceNumberInput, output: s.invoiceDocuments },
  invoice_document: { input: s.invoiceDocumentInput, output: s.blob },
  buyer_details: { input: s.empty, output: s.buyerDetails },
  set_buyer_details: { input: s.buyerDetailsInput, output: s.buyerDetails },
  activate_traffic_promocode: { input: s.trafficCodeInput, output: s.trafficCodeOutput },

  // Accounts
  signup: { input: s.signupInput, output: s.done },
  signin: { input: s.signinInput, output: s.text },
  telegram_code_signin: { input: s.telegramSigninInput, output: s.text },
  signout: { input: s.empty, output: s.done },
  confirm_email: { input: s.confirmEmailInput, output: s.done },
  resend_confirmation: { input: s.empty, output: s.done },
  legacy_profile: { input: s.empty, output: s.profiles },
  legacy_referal_info: { input: s.empty, output: s.referralInfos },
  referral_earnings: { input: referral.earningsInput, output: referral.earnings },
  get_payouts: { input: s.empty, output: referral.payouts },
  request_payout: { input: referral.requestPayoutInput, output: referral.payouts },
  cancel_payout: { input: referral.cancelPayoutInput, output: referral.payouts },
  change_language: { input: s.changeLanguageInput, output: s.done },
  is_password_exists: { input: s.empty, output: s.done },
  personal_data: { input: s.empty, output: s.personalData },
  export_personal_data: { input: s.ownerInput, output: s.personalDownload },
  request_erasure: { input: s.ownerInput, output: s.personalData },
  withdraw_erasure: { input: s.empty, output: s.personalData },
  change_account_password: { input: s.changePasswordInput, output: s.done },
  request_password_reset: { input: s.requestPasswordResetInput, output: s.done },
  reset_account_password: { input: s.resetAccountPasswordInput, output: s.done },
  reseller_token: { input: s.empty, output: s.text },
  rotate_reseller_token: { input: s.empty, output: s.text },
  revoke_reseller_token: { input: s.empty, output: s.done },

  // Security
  signin_second_step: { input: security.secondStepInput, output: s.text },
  signin_passkey_options: { input: security.ticketInput, output: security.options },
  signin_passkey: { input: security.passkeySignInInput, output: s.text },
  security: { input: s.empty, output: security.overview },
  prove_owner_options: { input: s.empty, output: security.options },
  prove_owner: { input: security.ownerProofInput, output: s.done },
  totp_begin: { input: s.empty, output: security.totpBegun },
  totp_finish: { input: security.codeInput, output: security.recoveryCodes },
  remove_totp: { input: s.empty, output: s.done },
  passkey_begin: { input: s.empty, output: security.options },
  passkey_finish: { input: security.newPasskeyInput, output: security.recoveryCodes },
  remove_passkey: { input: security.passkeyIdInput, output: s.done },
  new_recovery_codes: { input: s.empty, output: security.recoveryCodes },
  my_sessions: { input: s.empty, output: security.sessions },
  end_sessions: { input: security.endSessionsInput, output: security.ended },
  set_sign_in_letters: { input: security.lettersInput, output: s.done },
  change_email: { input: s.newEmailInput, output: s.done },
  cancel_email_change: { input: s.empty, output: s.done },
  confirm_new_email: { input: s.confirmEmailInput, output: security.newEmailConfirmed },
  answer_email_change: { input: security.answerEmailInput, output: security.emailAnswered },
  undo_email_change: { input: security.undoEmailInput, output: s.done },

  // Proxies
  get_proxy: { input: s.getProxyInput, output: s.text },
  get_presets: { input: s.empty, output: limits.presets },
  save_preset: { input: limits.savePresetInput, output: limits.preset },
  change_preset: { input: limits.changePresetInput, output: limits.preset },
  delete_preset: { input: limits.presetInput, output: s.done },
  renew_preset_link: { input: limits.presetInput, output: limits.presetLink },
  revoke_preset_link: { input: limits.presetInput, output: limits.preset },
  try_line: { input: s.getProxyInput, output: limits.trial },
  proxy_countries: { input: s.countriesInput, output: s.countries },
  proxy_states: { input: s.statesInput, output: s.states },
  proxy_cities: { input: s.citiesInput, output: s.cities },
  proxy_asns: { input: s.asnsInput, output: s.asns },
  proxy_zipcodes: { input: s.zipcodesInput, output: s.zipcodes },
  reset_password: { input: s.poolInput, output: s.newPassword },
  get_whitelist_ips: { input: s.poolInput, output: limits.addresses },
  get_whitelist_entries: { input: s.poolInput, output: limits.whitelistEntries },
  add_ip_to_whitelist: { input: limits.whitelistInput, output: s.done },
  remove_ip_from_whitelist: { input: limits.whitelistInput, output: s.done },
  get_pool_limits: { input: s.poolInput, output: limits.poolLimits },
  set_pool_limits: { input: limits.poolLimitsInput, output: limits.poolLimits },
  raise_day_cap: { input: limits.raiseDayInput, output: limits.poolLimits },
  get_proxy_users: { input: s.poolInput, output: limits.proxyUsers },
  create_proxy_user: { input: limits.createUserInput, output: limits.proxyUser },
  change_proxy_user: { input: limits.changeUserInput, output: limits.proxyUser },
  freeze_proxy_user: { input: limits.freezeUserInput, output: limits.proxyUser },
  renew_proxy_user_password: { input: limits.userInput, output: limits.proxyUser },
  delete_proxy_user: { input: limits.userInput, output: s.done },
  proxy_user_usage: { input: limits.userUsageInput, output: limits.userUsage },
  get_notices: { input: s.empty, output: limits.notices },
  set_notices: { input: limits.noticesInput, output: limits.notices },

  // Statistics and content
  explain_request: { input: requests.explainRequestInput, output: requests.explainedRequest },
  get_requests: { input: requests.requestsInput, output: requests.requestPage },
  get_overview: { input: s.empty, output: requests.overview },
  get_usage: { input: requests.usageInput, output: requests.usage },
  get_host_privacy: { input: s.empty, output: requests.hostPrivacy },
  set_host_privacy: { input: requests.hostPrivacyInput, output: requests.hostPrivacy },
  get_moves: { input: s.empty, output: limits.moves },
  quote_exchange: { input: limits.quoteInput, output: limits.quote },
  give_traffic: { input: limits.giveInput, output: limits.moves },
  exchange_traffic: { input: limits.exchangeInput, output: limits.moves },
  get_bill: { input: requests.billInput, output: requests.bill },
  legacy_get_statistic: { input: s.statisticInput, output: s.statistic },
  get_banners: { input: s.empty, output: site.banners },
  get_banner_blob: { input: site.bannerInput, output: s.blob },
  site: { input: s.empty, output: site.site },
  legal_page: { input: site.legalPageInput, output: site.legalPage },
  sign_up_documents: { input: s.empty, output: site.signUpDocuments },
} as const satisfies Record<Name, Schemas>

export type { Name }
/** What a caller sends. */
export type Input<N extends Name> = z.input<(typeof contract)[N]['input']>
/** What a handler receives: the parsed input. */
export type Parsed<N extends Name> = z.output<(typeof contract)[N]['input']>
/** What a handler returns and a caller receives. */
export type Output<N extends Name> = z.output<(typeof contract)[N]['output']>
