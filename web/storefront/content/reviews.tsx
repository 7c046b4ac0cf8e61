import { useTranslation } from '../../state/i18n.ts'
import { useSite } from '../../state/site.ts'
import { Button } from '../../ui/button.tsx'
import { ReviewLinks } from '../../ui/site/review-links.tsx'
import { EmptyState, Page } from '../page.tsx'

/** Links to discussions of the shop on other sites. */
export function ReviewsPage() {
  const { t } = useTranslation('reviews')
  const site = useSite()
  const threads = site?.reviews.links ?? []
  const support = site?.links.support ?? null
  return (
    <Page
      title={t('title')}
      description={t('description')}
      heading={t('heading')}
      lead={site?.reviews.intro ?? t('intro')}
      back
    >
      {threads.length > 0 ? (
        <ReviewLinks links={threads} newTab={t('newTab')} />
      ) : (
        <EmptyState title={t('emptyTitle')} text={t('empty')}>
          {support !== null && <Button href={support}>{t('support')}</Button>}
        </EmptyState>
      )}
    </Page>
  )
}
