import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../parts/page-head.tsx'

export function NotFound() {
  const { t } = useTranslation('desk')
  return (
    <>
      <PageHead title={t('notFound.title')} />
      <p>{t('notFound.text')}</p>
      <p>
        <Button href="/">{t('notFound.home')}</Button>
      </p>
    </>
  )
}
