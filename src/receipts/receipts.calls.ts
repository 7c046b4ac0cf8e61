import type { Output } from '#contract/contract'
import type { receiptsWire } from '#contract/receipts/calls'
import type { Database } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { needsReceiptEmail, receiptEmailOf, type ReceiptSettings, setReceiptEmail } from './receipts.ts'

export interface ReceiptsDeps {
  settings: ReceiptSettings | null
  /** The names of the payment methods that customers are offered. */
  methods: (db: Database['db']) => Promise<readonly string[]>
}

/** The calls about the address of receipts: receipt_email and set_receipt_email. */
export function receiptsCalls({ settings, methods }: ReceiptsDeps) {
  const shown = async (context: Context): Promise<Output<'receipt_email'>> => {
    const { email, isOwn } = await receiptEmailOf(context.database.db, callerOf(context).id)
    const names = settings === null ? [] : await methods(context.database.db)
    return { email, is_own: isOwn, needed_for: names.filter((name) => needsReceiptEmail(settings, name)) }
  }
  return {
    receipt_email: (_input, context) => shown(context),
    set_receipt_email: async ({ email }, context) => {
      await setReceiptEmail(context.database.db, callerOf(context).id, email, context.now())
      return shown(context)
    },
  } satisfies HandlersOf<typeof receiptsWire>
}
