import { useQuery } from '@tanstack/react-query'
import ChevronDown from 'lucide-react/icons/chevron-down'
import { Suspense } from 'react'
import { Link } from 'react-router'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './call.module.css'
import { apiQuery } from './document.ts'

const CallDetails = lazyPart(async () => (await import('./call-details.tsx')).CallDetails)

interface CallProps {
  call: { name: string; method: string; path: string; summary: string }
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}

/** One call: a line that expands to its description. */
export function Call({ call, isOpen, onToggle }: CallProps) {
  const { t } = useTranslation('docs')
  const { name, method, path, summary } = call
  return (
    <li id={name} className={styles.call}>
      <details open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)}>
        <summary className={styles.summary}>
          <span className={styles.what}>{summary}</span>
          <code translate="no" className={styles.address}>
            <span className={styles.method}>{method}</span> <span>{path}</span>
          </code>
          <ChevronDown size={18} aria-hidden="true" className={styles.chevron} />
        </summary>
        {isOpen && (
          <div className={styles.details}>
            <Details name={name} />
            <Link to={{ hash: name }} className={styles.link}>
              {t('call.link')}
            </Link>
          </div>
        )}
      </details>
    </li>
  )
}

function Details({ name }: { name: string }) {
  const { t } = useTranslation('docs')
  const { data, isError, refetch, isFetching } = useQuery(apiQuery(useLanguage()))
  const operation = data?.operations.get(name)
  const waiting = (
    <div className={styles.waiting} aria-busy="true">
      <Skeleton characters={40} />
      <Skeleton characters={24} />
      <Skeleton characters={32} />
    </div>
  )
  if (data === undefined && isError)
    return (
      <div className={styles.waiting} role="status">
        <p>{t('call.failed')}</p>
        <div>
          <Button size="small" pending={isFetching} onClick={() => void refetch()}>
            {t('call.retry')}
          </Button>
        </div>
      </div>
    )
  if (data === undefined || operation === undefined) return waiting
  return (
    <Suspense fallback={waiting}>
      <CallDetails operation={operation} parameters={data.parameters} />
    </Suspense>
  )
}
