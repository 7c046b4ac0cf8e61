import { useMutation } from '@tanstack/react-query'
import { Suspense } from 'react'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { Button } from '../../ui/button.tsx'
import { Row, Section } from '../panel/setting-rows.tsx'
import { toastFailure } from '../toast-failure.ts'
import { inputOf, type Wish } from './wish.ts'

/** Needs the texts of every refusal, so it is fetched with the first trial. */
const TrialOutcome = lazyPart(
  async () => (await import('./trial-outcome.tsx')).TrialOutcome,
  'requests',
  'gatewayRefusals',
)

/** A request by the server with the chosen settings, and its result. */
export function Trial(wish: Wish) {
  const { t } = useTranslation('generator')
  const trial = useMutation({
    mutationFn: (tried: Wish) => call('try_line', inputOf(tried)),
    onError: (error) => toastFailure(error, t('try.failed')),
  })
  return (
    <Section title={t('try.title')}>
      <Row label={t('try.label')} hint={t('try.text')}>
        <Button pending={trial.isPending} onClick={() => trial.mutate(wish)}>
          {t('try.act')}
        </Button>
        <div role="status">
          {trial.data !== undefined && (
            <Suspense fallback={null}>
              <TrialOutcome trial={trial.data} pool={trial.variables.settings.pool} />
            </Suspense>
          )}
        </div>
      </Row>
    </Section>
  )
}
