import { pools } from '#contract/wire'
import { useTranslation } from '../../../state/i18n.ts'
import { useFigures } from '../../parts/use-figures.ts'

const amount = new RegExp(`\\b(${pools.join('|')}) (\\d+) GB\\b`, 'g')

/** Amounts of a pool, which the server writes as `datacenter 100 GB`, in the words of the page. */
export function useNamedPools(): (text: string) => string {
  const { t } = useTranslation(['deskPages', 'header'])
  const { traffic } = useFigures()
  return (text) =>
    text.replaceAll(amount, (whole, code: string, gb: string) => {
      const pool = pools.find((each) => each === code)
      return pool === undefined
        ? whole
        : `${t(`header:pools.${pool}`)} ${traffic(BigInt(gb) * 1_000_000_000n)}`
    })
}
