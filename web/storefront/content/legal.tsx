import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { CallError } from '#contract/client'
import { type LegalPage as LegalPageName, legalPaths } from '#contract/legal/pages'
import { brand } from '../../state/brand.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { legalPageQuery } from './legal-query.ts'
import { useLocalPath } from '../../state/language.ts'
import { Button } from '../../ui/button.tsx'
import { LegalText } from '../../ui/site/legal-text.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { BackLink } from '../back-link.tsx'
import { NotFoundPage } from '../not-found.tsx'
import styles from './legal.module.css'

/** A legal page, in the language that it is written in; a built-in draft is marked as a draft. */
export function LegalPage() {
  const { pathname } = useLocation()
  const page = (Object.keys(legalPaths) as LegalPageName[]).find((each) =>
    pathname.includes(legalPaths[each]),
  )
  return page === undefined ? <NotFoundPage /> : <Sheet page={page} />
}

function Sheet({ page }: { page: LegalPageName }) {
  const { t } = useTranslation(['legal', 'header'])
  const { data, error, refetch } = useQuery(legalPageQuery(page, useLanguage()))
  const localPath = useLocalPath()
  if (error instanceof CallError && error.status === 404) return <NotFoundPage />
  const title = data?.title ?? t(`${page}.title`)
  return (
    <div className={styles.page} lang={data?.language} aria-busy={data === undefined && error === null}>
      <title>{`${title} — ${brand.name}`}</title>
      <meta name="description" content={t(`${page}.description`, { brand: brand.name })} />
      {data?.is_draft === true && <meta name="robots" content="noindex" />}
      <div className={styles.titled}>
        <BackLink fallback={localPath('/')} />
        <h1 className={styles.heading}>{title}</h1>
      </div>
      {data?.is_draft === true && <p className={styles.draft}>{t('draft')}</p>}
      {data !== undefined ? (
        <LegalText text={data.text} />
      ) : error === null ? (
        <Skeleton characters={60} />
      ) : (
        <div role="status">
          <p>{t('header:failed.text')}</p>
          <Button onClick={() => void refetch()}>{t('header:failed.reload')}</Button>
        </div>
      )}
    </div>
  )
}
