import { useTranslation } from '../app/i18n.ts'
import { useLocal } from '../app/use-local.ts'
import { Button } from '../ui/button.tsx'
import { RoadEnd } from './road-end.tsx'

export function MissingPage() {
  const { t } = useTranslation('header')
  const local = useLocal()
  return (
    <RoadEnd sign="404" title={t('missing.title')} text={t('missing.text')}>
      <Button variant="paint" href={local('/')}>
        {t('missing.home')}
      </Button>
    </RoadEnd>
  )
}
