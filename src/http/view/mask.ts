/**
 * What a member of staff who sees the shop as a customer gets in place of secrets. Every answer of a view
 * passes here; fields are known by their names, wherever they stand.
 */
import { hiddenSecret } from '#contract/view'

const dots = () => hiddenSecret
const nothing = () => null

const fields: Readonly<Record<string, (value: string) => string | null>> = {
  // Credentials.
  password: dots,
  token: dots,
  tgcode: dots,
  // The page pays or cancels the invoice without further authentication.
  payment_url: nothing,
  // Wallets are for those who send to them.
  wallet: (value) => `…${value.slice(-6)}`,
  // The desk shows targets only for a stated reason, which is recorded; these texts may contain a target.
  target: nothing,
  word: nothing,
  sentence: () => '',
}

/** The same data without secrets. */
export function withoutSecrets(data: unknown, field = ''): unknown {
  if (typeof data === 'string') return (fields[field] ?? String)(data)
  if (Array.isArray(data)) return data.map((each) => withoutSecrets(each, field))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, withoutSecrets(value, name)]))
}
