/** A refund that was sent is not noted as sent. */
import { sendRefunds as right } from '../../../src/purchase/refund.sending.ts'

export const sendRefunds: typeof right = async (database, ...rest) => {
  const sent = await right(database, ...rest)
  await database.db.updateTable('payment_refund').set({ state: 'due' }).where('state', '=', 'sent').execute()
  return sent
}
