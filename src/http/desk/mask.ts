/**
 * What a member who may not see contacts gets in their place. All answers of the desk pass here, CSV too: fields by
 * their names, and addresses of e-mail in any other text.
 */

const emailMask = (email: string) => {
  const [name = '', domain = ''] = email.split('@')
  return `${[...name][0] ?? ''}…@${[...domain][0] ?? ''}…`
}

const hidden = () => '…'

/** The fields that hold a contact, wherever they stand. */
const fields: Readonly<Record<string, (text: string) => string>> = {
  email: emailMask,
  telegram: hidden,
  ip: hidden,
  user_agent: hidden,
  buyer: hidden,
  buyer_tax_id: hidden,
}

const emails = /[^\s@<>"',;:]+@[^\s@<>"',;:]+/gu

/** The same data with its contacts masked. */
export function masked(data: unknown, field = ''): unknown {
  if (typeof data === 'string') {
    const own = fields[field]
    return own === undefined ? data.replaceAll(emails, emailMask) : own(data)
  }
  if (Array.isArray(data)) return data.map((each) => masked(each, field))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, masked(value, name)]))
}
