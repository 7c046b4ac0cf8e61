/**
 * The interface for reading the operator's account at a seller of traffic, with an adapter for each seller.
 * Adapters only read. The first comment of each names the documentation of its fields, and its assumptions.
 */
import type { Pool } from '#contract/wire'
import type { SellerClient } from './client.ts'

/** The remaining balance at the seller. */
export interface SellerBalance {
  /** Null: the seller does not report it, or sells without a limit. */
  leftBytes: bigint | null
  /** Micro-USD; null: the seller does not report it. */
  leftMicros: bigint | null
  /** The all-time usage, for sellers whose `meter` it is; null: not reported now. */
  usedBytes?: bigint | null
}

/**
 * Bytes by UTC day (YYYY-MM-DD), as the seller counted them; a day on which nothing was used may be missing.
 */
export type SellerUsage = ReadonlyMap<string, bigint>

/** A place that the seller offers, in its own spelling. */
export interface SellerPlace {
  pool: Pool
  /** ISO 3166-1, two small letters. */
  country: string
  state: string | null
  city: string | null
  zip: string | null
  asn: number | null
  /** Addresses there; null: the seller gives no numbers. */
  count: number | null
}

/** The subject of a query. */
export interface SellerAsked {
  client: SellerClient
  /** The pools of the account's exits; products of other pools are ignored. */
  pools: readonly Pool[]
  /** The UTC days of the requested usage, both included. */
  from: string
  to: string
}

/** A part of the credentials. */
export interface SellerField {
  key: string
  /** Where the operator finds it in the seller's account. */
  label: Readonly<Record<'en' | 'ru', string>>
  isSecret: boolean
  isOptional?: boolean
}

export interface SellerAdapter {
  /** As in the presets of exits, where there is one. */
  name: string
  title: string
  base: string
  fields: readonly SellerField[]
  /** The seller's GB. */
  gbBytes: bigint
  /** The unit to which it rounds a day's usage; smaller differences are ignored. */
  roundsToBytes: bigint
  balance: (asked: SellerAsked) => Promise<SellerBalance>
  /** Null: the seller does not offer it. */
  usage: ((asked: SellerAsked) => Promise<SellerUsage>) | null
  /** It reports only the current day: a missing day is unknown. */
  tellsTodayOnly?: true
  /** For a seller that does not report daily usage: the amount whose differences are the usage. */
  meter?: 'left' | 'used'
  places: ((asked: SellerAsked) => Promise<SellerPlace[]>) | null
}

/** Adds bytes to a day. */
export const addTo = (days: Map<string, bigint>, day: string, bytes: bigint): void =>
  void days.set(day, (days.get(day) ?? 0n) + bytes)

export const apiKey: SellerField = {
  key: 'api_key',
  label: { en: 'API key', ru: 'Ключ API' },
  isSecret: true,
}
