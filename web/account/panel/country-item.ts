/** A country as a row of a picker. */
import type { Language } from '#contract/language'
import { countryName } from '#contract/countries'
import { formatNumber } from '../../ui/format.ts'
import type { PickerItem } from '../../ui/picker/picker-list.tsx'

export type WithCount = { count?: number }

export const counted = (item: WithCount, language: Language) =>
  item.count === undefined ? {} : { count: formatNumber(item.count, language) }

/** Searched by the code and by the name in both languages. */
export function countryItem({ code, ...rest }: { code: string } & WithCount, language: Language): PickerItem {
  const searchText = `${code} ${countryName(code, 'ru')} ${countryName(code, 'en')}`
  const label = countryName(code, language)
  return { key: code, label, code: searchText, flag: code, ...counted(rest, language) }
}
