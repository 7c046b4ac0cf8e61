/**
 * The values that lists are filtered and sorted by; apart from the schemas, so that pages load no schema
 * library.
 */
export const customerStates = ['active', 'unconfirmed', 'blocked', 'erasure_asked', 'erased'] as const
export const customerSorts = [
  'newest',
  'oldest',
  'spent',
  'last_seen',
  'balance',
  'state',
  'margin',
  'least_margin',
] as const
/** Conditions under which an invoice needs attention and a list of such invoices is shown. */
export const invoiceNeeds = ['dispute', 'paid_without_traffic', 'refund_unclear'] as const
export const invoiceStates = [
  'pending',
  'paid',
  'underpaid',
  'expired',
  'cancelled',
  'partly_refunded',
  'refunded',
] as const
/** A price list's price of a pool: the shop's, a fixed one in USD per GB, or per cent off the shop's. */
export const priceKinds = ['shop', 'fixed', 'off'] as const
/** What a reset of a customer's access replaces. */
export const accessParts = ['proxy_passwords', 'sign_in', 'second_factor', 'api_token'] as const
export const disputeStates = ['needs_response', 'under_review', 'won', 'lost'] as const
/** The parts of what a shop holds about a person. */
export const personalPartNames = [
  'account',
  'sign_up_consents',
  'sessions',
  'sign_ins',
  'second_factors',
  'devices',
  'email_changes',
  'links_in_letters',
  'team_memberships',
  'team_invitations',
  'team_acts',
  'telegram',
  'notes_of_support',
  'tags_of_support',
  'invoices',
  'payments',
  'refunds',
  'currency_of_prices',
  'price_list',
  'email_for_receipts',
  'receipts',
  'saved_payment_methods',
  'top_ups',
  'top_up_consents',
  'top_up_charges',
  'buyer_details',
  'documents',
  'traffic_moves',
  'notifications_of_processors',
  'promo_codes',
  'balances',
  'ledger',
  'ledger_usage',
  'usage_by_day',
  'usage_by_hour',
  'bill',
  'connections',
  'usage_by_part',
  'outcomes',
  'activity',
  'hosts_not_kept',
  'proxies',
  'saved_settings_of_lines',
  'ended_connections',
  'presets',
  'lines',
  'whitelist',
  'whitelist_losses',
  'limits',
  'proxy_users',
  'proxy_user_changes',
  'proxy_user_usage',
  'api_token',
  'api_agreement',
  'referral_earnings',
  'referral_payouts',
  'letters',
  'notices_off',
  'notice_threshold',
  'notices_sent',
  'bills_told',
  'places_used',
  'trouble_told',
  'acts_of_support',
] as const
/** What can be done to many customers together. */
export const bulkActs = ['block', 'tag', 'credit', 'letter', 'price_list'] as const
/** The possible verdicts on a processor's notification. */
export const paymentVerdicts = [
  'credited',
  'cancelled',
  'waiting',
  'known_payment',
  'returned',
  'ignored',
  'stale',
  'wrong_amount',
  'wrong_currency',
  'unknown_invoice',
  'another_invoice',
  'another_shop',
  'test_mode',
  'unreachable',
  'forged',
] as const
/** The states of a refund by the shop: see the table `refund`. */
export const refundStates = ['planned', 'due', 'sent', 'done', 'refused', 'failed', 'dropped'] as const
export const refundWays = ['processor', 'hand', 'balance'] as const
/** The states of money that a processor gives back: see the table `processor_refund`. */
export const returnStates = ['waiting', 'counted', 'own', 'failed', 'reversed', 'unclear'] as const
/** Why the receiver of a gift is taken for the giver: both used the same browser, or the same saved card. */
export const giftSignals = ['device', 'payer'] as const
export const feeKinds = ['payment', 'refund', 'dispute'] as const
/** The source of a fee: the processor reported it, or it is computed from the operator's terms. */
export const feeSources = ['reported', 'terms'] as const
export const receiptKinds = ['payment', 'closing', 'refund'] as const
/** `void`: all of a sale was returned before it was registered. */
export const receiptStates = ['due', 'pending', 'registered', 'failed', 'void'] as const
export const receiptRegistrars = ['yookassa', 'external', 'manual'] as const
/** Why a receipt failed, for reasons that do not come from the processor. */
export const receiptFaults = ['cancelled', 'returned_by_hand'] as const
export type ReceiptFault = (typeof receiptFaults)[number]
/** Why a receipt needs staff: it is to be registered by hand, or the processor did not register it. */
export const receiptNeeds = ['by_hand', 'trouble'] as const

/** The parts of a seller's account that the program reads. */
export const sellerParts = ['balance', 'usage', 'places'] as const
export type SellerPart = (typeof sellerParts)[number]
/** The direction that a seller counts: both, bytes to targets (`up`), or bytes from targets (`down`). */
export const sellerCounts = ['both', 'up', 'down'] as const
export type SellerCounts = (typeof sellerCounts)[number]
/** Why an account could not be read. */
export const sellerFaults = ['refused', 'busy', 'unreachable', 'malformed', 'rejected'] as const

export const mostBannerBytes = 1024 * 1024
/** SVG is not accepted: it can contain scripts. */
export const bannerTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const

/** The unit to which the seller of an exit rounds up the bytes of a UTC day; `none`: it does not round. */
export const costRoundings = ['none', 'mb', 'gb'] as const

const times = ['day', 'week', 'month'] as const
/**
 * The divisions of each report; weeks begin on Monday, and a campaign is the one by which the customer signed
 * up. Other divisions make no sense: sold traffic may leave by any exit; used and held bytes belong to no
 * single purchase, so they have no method and no promo code; held bytes have not left by an exit yet;
 * inviters earn shares in any pool.
 */
export const reportDivisions = {
  sales: [...times, 'pool', 'method', 'campaign', 'promo'],
  refunds: [...times, 'pool', 'method', 'campaign', 'promo'],
  usage: [...times, 'pool', 'exit', 'campaign'],
  liability: ['pool', ...times],
  referral: times,
} as const
/** What the margin report can be divided by; a tier is the volume discount of a purchase. */
export const marginDivisions = [...times, 'pool', 'exit', 'customer', 'tier', 'promo'] as const
export type MarginDivision = (typeof marginDivisions)[number]

export type ReportName = keyof typeof reportDivisions
export type ReportDivision = (typeof reportDivisions)[ReportName][number]

/** The actions in the audit trail that have names at the desk; others are shown as they are stored. */
export const auditActions = [
  'accept_key_loss',
  'add_exit',
  'add_gateway_token',
  'add_note',
  'add_seller_account',
  'add_tag',
  'archive_month',
  'ask_processor',
  'assign_price_list',
  'block_customer',
  'block_staff',
  'change_banner',
  'change_my_password',
  'change_price_list',
  'change_prices',
  'change_promo_code',
  'change_setting',
  'change_variables',
  'check_invoice',
  'check_seller_account',
  'complaint_answer',
  'confirm_alert_address',
  'confirm_passkey',
  'confirm_password',
  'confirm_recovery_code',
  'confirm_totp',
  'connections',
  'correct_incident',
  'create_price_list',
  'create_promo_codes',
  'customer_hosts',
  'cut_connections',
  'decide_seller_places',
  'decline_erasure',
  'discard_draft',
  'dismiss_report',
  'dispute_evidence',
  'drain_gateway',
  'drop_refund',
  'end_customer_sessions',
  'end_my_session',
  'end_staff_sessions',
  'end_view',
  'erase_customer',
  'export',
  'export_customer',
  'fill_demo',
  'give_money',
  'give_traffic',
  'import_places',
  'import_rates',
  'invite_staff',
  'join_finish',
  'link_alert_group',
  'live_connections',
  'lose_document_numbers',
  'make_alert_code',
  'make_key',
  'name_places',
  'new_recovery_codes',
  'open_view',
  'open_incident',
  'pay_payout',
  'passkey_finish',
  'plan_refund',
  'publish_banner',
  'publish_content',
  'recover_sale',
  'refund_invoice',
  'refuse_payout',
  'register_receipt',
  'remove_banner',
  'remove_exit',
  'remove_note',
  'remove_passkey',
  'remove_price_list',
  'remove_places',
  'remove_seller_account',
  'remove_team_member',
  'remove_totp',
  'remove_view',
  'replay_payment_event',
  'replay_reports',
  'resend_confirmation',
  'reset_access',
  'reset_staff',
  'restore_content',
  'restore_places',
  'revoke_gateway_token',
  'rotate_gateway_token',
  'rotate_key',
  'save_draft',
  'save_view',
  'see_as_customer',
  'send_letter',
  'send_refund',
  'set_alert_settings',
  'set_customer_limits',
  'set_api_pace',
  'set_exit',
  'set_exit_cost',
  'set_exit_stock',
  'set_fee_terms',
  'set_my_alerts',
  'set_display_currency',
  'set_rate',
  'set_referral_percent',
  'set_referral_share',
  'set_seller_account',
  'set_staff_role',
  'set_tags',
  'settle_return',
  'sign_in',
  'sign_out',
  'stop_promo_batch',
  'stop_promo_code',
  'switch_off_top_up',
  'take_money',
  'take_payout',
  'take_traffic',
  'test_alert',
  'test_connection',
  'test_purchase',
  'totp_finish',
  'unblock_customer',
  'unblock_staff',
  'undrain_gateway',
  'unlink_alert_group',
  'update_incident',
  'upload_picture',
] as const
/** Why the ledger changed a customer's balance. */
export const ledgerKinds = [
  'demo_gift',
  'dispute_freeze',
  'dispute_release',
  'exchange',
  'exchange_undone',
  'gift',
  'payout_paid',
  'payout_requested',
  'payout_returned',
  'promo',
  'purchase',
  'refund',
  'top_up',
  'top_up_refund',
  'staff_gift',
  'staff_taking',
  'usage',
  'user_reserve',
  'user_return',
  'write_off',
] as const

/** The letters that have a name at the desk. */
export const letterTemplates = [
  'confirm_email',
  'reset_password',
  'payment_received',
  'payment_refunded',
  'refund_failed',
  'address_taken',
  'traffic_low',
  'cap_reached',
  'exit_trouble',
  'bill_month',
  'top_up',
  'top_up_consent',
  'new_sign_in',
  'security_changed',
  'team_invitation',
  'traffic_moved',
  'payout',
  'confirm_new_email',
  'approve_new_email',
  'email_replaced',
  'erasure_requested',
  'erasure_declined',
  'data_erased',
  'from_staff',
  'staff_alert',
] as const
/** The parts of the public texts. */
export const partNames = [
  'brand',
  'home',
  'links',
  'rules',
  'reviews',
  'legal',
  'payments',
  'seller',
  'notice',
] as const
