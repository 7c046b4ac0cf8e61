import { countryName } from '#contract/countries'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'

/** The figures of requests in words. */
export function useFigures() {
  const { t } = useTranslation('requests')
  const language = useLanguage()
  const { number, traffic } = useFormat()
  return {
    /** Milliseconds below ten seconds, else seconds. */
    duration: (ms: number) =>
      ms < 10_000 ? t('ms', { ms: number(ms) }) : t('seconds', { seconds: number(Math.round(ms / 1000)) }),
    /** Zero bytes are bytes, not gigabytes. */
    bytes: (bytes: number) => (bytes === 0 ? traffic(1n).replace('1', '0') : traffic(BigInt(bytes))),
    country: (code: string) => countryName(code, language),
  }
}
