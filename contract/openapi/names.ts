/** The names of schemas in the OpenAPI document, from which generated clients name their types. */
import * as z from 'zod'
import { contract, jsonOf } from '../contract.ts'

const { get_usage, get_requests, get_presets, get_top_ups, get_moves, get_payouts } = contract

const named = {
  ProxyUser: contract.create_proxy_user.output,
  FoundProxyUser: contract.get_proxy_user.output,
  ActedProxyUsers: contract.freeze_proxy_users.output,
  ProxyUserPage: contract.get_proxy_users.output,
  ProxyUserDays: contract.proxy_user_usage.output,
  ProxyUserUsagePage: contract.proxy_users_usage.output,
  ProxyLines: jsonOf.get_proxy,
  TrialResult: contract.try_line.output,
  Preset: contract.save_preset.output,
  PresetList: get_presets.output,
  PoolLimits: contract.get_pool_limits.output,
  WhitelistEntries: contract.get_whitelist_entries.output,
  Usage: get_usage.output,
  UsageRow: get_usage.output.shape.rows.element,
  UsageTotal: get_usage.output.shape.total,
  Overview: contract.get_overview.output,
  Activity: contract.get_activity.output,
  LastHour: contract.get_last_hour.output,
  RequestPage: get_requests.output,
  RequestRecord: get_requests.output.shape.requests.element,
  RequestExplanation: contract.explain_request.output,
  Profile: contract.legacy_profile.output.element,
  Invoice: contract.invoice.output,
  OrderedInvoice: jsonOf.create_invoice_web,
  PaymentMethod: contract.payment_systems.output.element,
  Prices: contract.prices.output,
  TopUps: get_top_ups.output,
  TrafficMoves: get_moves.output,
  Payouts: get_payouts.output,
  BuyerDetails: contract.buyer_details.output,
  ReceiptEmail: contract.receipt_email.output,
  NoticeSettings: contract.get_notices.output,
  Bill: contract.get_bill.output,
  Site: contract.site.output,
  ShopStatus: contract.get_status.output,
} satisfies Record<string, z.ZodType>

/** The registry in which zod finds the names. */
export const schemaNames = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries(named)) schemaNames.add(schema, { id })
