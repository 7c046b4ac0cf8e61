/** The content of fiscal receipts: pure. The positions of a receipt add up to its amount, to the kopeck. */
import type { receiptRegistrars } from '#contract/desk/choices'
import { microsPerCent } from '#contract/price'
import { type Goods as SoldGoods, poolNames, pools } from '#contract/wire'
import { usdText } from '#lib/money'
import { asciiEmail } from './email.ts'
import type { FiscalItem, FiscalMode, FiscalReceipt, Price } from '#payments'

/** The party that registers receipts of sales. `none` is null: the shop registers none. */
export type Registrar = (typeof receiptRegistrars)[number]

export interface ReceiptSettings {
  registrar: Registrar
  /** `vat_code` of YooKassa, 1 to 12; null: by hand, where there is none. */
  vatCode: number | null
  /** Tag 1055, 1 to 6; null: not sent. Of tills connected to YooKassa only. */
  taxSystemCode: number | null
  /** Tag 1212, the kind of the goods. */
  subject: string
  mode: FiscalMode
  /**
   * The unit of quantity: GB where the unit price is whole kopecks, or one piece. `none`: not sent, for tills
   * of FFD 1.05.
   */
  measure: 'gigabyte' | 'piece' | 'none'
  /** The name of the goods, `{pool}` in it is replaced. */
  itemName: string
  /** Methods whose sales are registered by hand beside those of the registrar. */
  byHand?: ReadonlySet<string>
  /** Days from the delivery to the closing receipt of a prepayment. */
  closingDays: number
}

/** The sold goods. */
export interface Goods {
  /** `balance`: an advance for later purchases. */
  pool: SoldGoods
  gb: bigint
  price: Price
}

/** The facts of a sale that receipts need. */
export interface Sold extends Goods {
  invoiceNumber: string
  accountId: bigint
  method: string
}

/** Tag 1030 is cut here by YooKassa's limit. */
export const maxNameLength = 128
/** The largest quantity that Чеки от ЮKassa take is 99,999.999. */
const maxGigabytes = 99_999n

/** The name of the goods on a receipt, in Russian as the law asks. */
export function itemName(
  template: string,
  { pool, gb }: Pick<Goods, 'pool' | 'gb'>,
  isPiece: boolean,
): string {
  if (pool === 'balance') return 'Аванс за трафик'
  const name = template.replaceAll('{pool}', poolNames.ru[pool].toLowerCase())
  return isPiece ? `${name}, ${gb} ГБ` : name
}

/** The longest name that a template makes. */
export const longestName = (template: string): number =>
  Math.max(...pools.map((pool) => itemName(template, { pool, gb: 99_999_999n }, true).length))

const kopecksOf = ({ micros }: Price): bigint => micros / microsPerCent

const amountOf = (kopecks: bigint, currency: string) => ({
  value: usdText(kopecks * microsPerCent, 2),
  currency,
})

/**
 * The receipt of a sale: GB at the unit price, where that is whole kopecks, or a single piece. Receipts are
 * always in RUB.
 */
export function saleReceipt(goods: Goods, settings: ReceiptSettings, email: string): FiscalReceipt {
  const { gb, price } = goods
  const { vatCode, taxSystemCode, subject, mode, measure } = settings
  if (vatCode === null) throw new Error('receipts of a processor have a VAT code')
  const kopecks = kopecksOf(price)
  const isByGigabyte =
    goods.pool !== 'balance' && measure === 'gigabyte' && gb <= maxGigabytes && kopecks % gb === 0n
  const item: FiscalItem = {
    description: itemName(settings.itemName, goods, !isByGigabyte),
    quantity: isByGigabyte ? Number(gb) : 1,
    amount: amountOf(isByGigabyte ? kopecks / gb : kopecks, price.currency),
    vat_code: vatCode,
    ...(goods.pool === 'balance' ? advanceOf(settings) : { payment_subject: subject, payment_mode: mode }),
    ...(measure === 'none' ? {} : { measure: isByGigabyte ? 'gigabyte' : 'piece' }),
  }
  return {
    customer: { email: asciiEmail(email) ?? email },
    items: [item],
    ...(taxSystemCode === null ? {} : { tax_system_code: taxSystemCode }),
  }
}

/**
 * Money for a balance is an advance: what it buys is not known yet. The service of YooKassa takes no advances,
 * and registers a prepayment instead.
 */
const advanceOf = ({ registrar, subject }: ReceiptSettings) =>
  registrar === 'yookassa'
    ? ({ payment_subject: subject, payment_mode: 'full_prepayment' } as const)
    : ({ payment_subject: 'payment', payment_mode: 'advance' } as const)

/**
 * The receipt for a part of a sale, for a refund or for a closed prepayment: thousandths
 * of GB at the same price where that is exact, or one piece.
 */
export function partReceipt(sale: FiscalReceipt, price: Price, mode: FiscalMode): FiscalReceipt {
  const [item] = sale.items
  if (item === undefined) throw new Error('the receipt of a sale has a position')
  const kopecks = kopecksOf(price)
  const perOne = kopecksIn(item.amount.value)
  const isExact = item.measure === 'gigabyte' && (kopecks * 1000n) % perOne === 0n
  const part: FiscalItem = isExact
    ? { ...item, quantity: Number((kopecks * 1000n) / perOne) / 1000, payment_mode: mode }
    : {
        ...item,
        quantity: 1,
        amount: amountOf(kopecks, price.currency),
        payment_mode: mode,
        ...(item.measure === undefined ? {} : { measure: 'piece' }),
      }
  return { ...sale, items: [part] }
}

/** A stored receipt in the form in which it is sent; null: none is sent. */
export const contentOf = ({ content }: { content: unknown }) => content as FiscalReceipt | null

const kopecksIn = (value: string): bigint => BigInt(value.replace('.', ''))
