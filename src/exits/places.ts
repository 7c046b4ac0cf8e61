/** A file with a list of places, which the operator assigns to an exit. Pure. */
import type { FeedPlace } from '#feed'
import { ExitFault } from './description.ts'

const columns = ['country', 'state', 'city', 'zip', 'asn'] as const

/** In the spelling of the grammar of lines. */
const patterns: Record<(typeof columns)[number], RegExp> = {
  country: /^[a-z]{2}$/,
  state: /^[a-z]{2}_[a-z0-9]{1,32}$/,
  city: /^[a-z]{2}_[a-z0-9_]{1,61}$/,
  zip: /^[a-z0-9_]{1,16}$/,
  asn: /^[1-9][0-9]{0,9}$/,
}

/**
 * Parses lines of country, state, city, zip, asn under a header that names the columns present. Throws an
 * ExitFault that names the line.
 */
export function readPlaces(text: string): FeedPlace[] {
  const [header = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const names = header.split(',').map((name) => name.trim().toLowerCase())
  const unknown = names.find((name) => !columns.some((column) => column === name))
  if (unknown !== undefined || !names.includes('country'))
    throw new ExitFault('exit_columns', { columns: columns.join(',') })
  const places: FeedPlace[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const number = index + 2
    const values = line.split(',').map((value) => value.trim())
    if (values.length !== names.length)
      throw new ExitFault('exit_values', { number, values: values.length, columns: names.length })
    const of = (column: (typeof columns)[number]): string | null => {
      const value = values[names.indexOf(column)] ?? ''
      if (value === '') return null
      if (!patterns[column].test(value) || (column === 'asn' && Number(value) > 4_294_967_295))
        throw new ExitFault('exit_place', { number, value, name: column })
      return value
    }
    const country = of('country')
    if (country === null) throw new ExitFault('exit_no_country', { number })
    const asn = of('asn')
    places.push({
      country,
      state: of('state'),
      city: of('city'),
      zip: of('zip'),
      asn: asn === null ? null : Number(asn),
    })
  }
  if (places.length === 0) throw new ExitFault('exit_no_places')
  return places
}
