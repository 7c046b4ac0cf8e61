import { bytesIn } from '#contract/exact-bytes'
import { useLanguage } from '../../state/i18n.ts'
import { useSearchParameter } from '../../state/search-parameter.ts'
import { formatSignedTraffic } from '../../ui/format.ts'

/** Whether the address asks for figures to the byte, and the switch. */
export function useExact(): [isExact: boolean, setExact: (isExact: boolean) => void] {
  const [search, setParameter] = useSearchParameter()
  return [search.get('bytes') === 'exact', (isExact) => setParameter('bytes', isExact ? 'exact' : null)]
}

/** The format of traffic in the statistics: with 2 decimals, or to the byte. */
export function useTrafficFigure(): (bytes: bigint) => string {
  const language = useLanguage()
  const [isExact] = useExact()
  return (bytes) => (isExact ? bytesIn(bytes, language) : formatSignedTraffic(bytes, language))
}
