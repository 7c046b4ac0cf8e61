/**
 * What Turnpike reads of the operator's account at a seller of traffic: one interface, with an adapter for
 * each seller. Adapters only read. Each says in its first comment where its fields are documented, and what
 * is taken for granted.
 */
import type { Pool } from '#contract/wire'
import type { SellerClient } from './client.ts'

/** What is left at the seller. */
export interface SellerBalance {
  /** Null: the seller does not tell it, or sells without a limit. */
  leftBytes: bigint | null
  /** Micro-USD; null: the seller does not tell it. */
  leftMicros: bigint | null
  /** What was ever used, of sellers whose `meter` it is; null: the seller does not tell it now. */
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

/** What a question is about. */
export interface SellerAsked {
  client: SellerClient
  /** The pools of the exits that belong to the account: products of other pools are left out. */
  pools: readonly Pool[]
  /** The UTC days of the usage that is asked for, both included. */
  from: string
  to: string
}

/** A part of the credentials. */
export interface SellerField {
  key: string
  /** How the operator finds it in the seller's account. */
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
  /** To what it rounds a day's usage; differences up to this are no differences. */
  roundsToBytes: bigint
  balance: (asked: SellerAsked) => Promise<SellerBalance>
  /** Null: the seller does not offer it. */
  usage: ((asked: SellerAsked) => Promise<SellerUsage>) | null
  /** Its usage is that of the present day alone: of a day that it leaves out nothing is known. */
  tellsTodayOnly?: true
  /** Of a seller that does not tell whole days: of which amount the differences are its usage. */
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
