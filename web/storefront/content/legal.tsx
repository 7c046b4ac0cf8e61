import { useQuery } from '@tanstack/react-query'
import type { Input } from '#contract/contract'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { CallError } from '#contract/client'
import { brand } from '../../state/brand.ts'
import { Button } from '../../ui/button.tsx'
import { LegalText } from '../../ui/site/legal-text.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { BackLink } from '../back-link.tsx'
import { NotFoundPage } from '../not-found.tsx'
import styles from './legal.module.css'

export const TermsPage = () => <LegalPage page="terms" />
export const PrivacyPage = () => <LegalPage page="privacy" />

/** A legal page of the operator, in the language that it is written in. */
function LegalPage({ page }: Input<'legal_page'>) {
  const { t } = useTranslation(['rules', 'header'])
  const language = useLanguage()
  const { data, error, refetch } = useQuery({
    queryKey: ['legal_page', { page }, language],
    queryFn: ({ signal }) => call('legal_page', { page }, { signal }),
  })
  if (error instanceof CallError && error.status === 404) return <NotFoundPage />
  if (error !== null)
    return (
      <div className={styles.page} role="status">
        <p>{t('header:failed.text')}</p>
        <Button onClick={() => void refetch()}>{t('header:failed.reload')}</Button>
      </div>
    )
  return (
    <div className={styles.page} lang={data?.language} aria-busy={data === undefined}>
      <title>{data === undefined ? brand.name : `${data.title} — ${brand.name}`}</title>
      <BackLink fallback="/" />
      <h1 className={styles.heading}>{data === undefined ? <Skeleton characters={20} /> : data.title}</h1>
      {data === undefined ? <Skeleton characters={60} /> : <LegalText text={data.text} />}
    </div>
  )
}
