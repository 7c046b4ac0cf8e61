import { useQuery } from '@tanstack/react-query'
import ArrowRight from 'lucide-react/icons/arrow-right'
import { useEffect } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { setupSteps } from '#contract/desk/setup'
import { useTranslation } from '../../../state/i18n.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { query } from '../../state/api.ts'
import { useNamedPools } from '../today/use-named-pools.ts'
import { noteSettingUp } from '../../state/setting-up.ts'
import styles from './setup.module.css'

type Step = DeskOutput<'setup'>[number]

const freshMs = 15_000
const tones = { done: 'good', todo: 'warning', optional: 'quiet' } as const

/** The steps from an empty shop to the first sale, each with its state and the page where it is done. */
export function SetupPage() {
  const { t } = useTranslation(['deskPages', 'deskSetup'])
  const steps = useQuery({ ...query('setup', {}), refetchInterval: freshMs })
  return (
    <>
      <PageHead title={t('setup.title')} back={{ to: '/', label: t('today.title') }} />
      <Loaded query={steps}>{(data) => <Steps steps={data} />}</Loaded>
    </>
  )
}

function Steps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation(['deskPages', 'deskSetup'])
  const left = steps.filter(({ state }) => state === 'todo').length
  useEffect(() => noteSettingUp(left > 0), [left])
  return (
    <div className={styles.page}>
      <p className={styles.intro}>{t('deskSetup:intro')}</p>
      <p role="status">
        <strong>{left === 0 ? t('deskSetup:allDone') : t('setup.left', { count: left })}</strong>
      </p>
      <ol className={styles.steps}>
        {/* Always done: the reader has signed in with a second factor. */}
        <li className={styles.step}>
          <div className={styles.what}>
            <h2>{t('deskSetup:step.account')}</h2>
            <p className={styles.about}>{t('deskSetup:step.accountText')}</p>
          </div>
          <Badge tone="good">{t('deskSetup:state.done')}</Badge>
          <StepLink page="/me" name={t('deskSetup:step.account')} />
        </li>
        {steps.map((step) => (
          <StepRow key={step.step} step={step} />
        ))}
      </ol>
    </div>
  )
}

function StepRow({ step: { step, state, findings } }: { step: Step }) {
  const { t } = useTranslation(['deskPages', 'deskSetup'])
  const named = useNamedPools()
  const { page } = setupSteps[step]
  return (
    <li className={styles.step}>
      <div className={styles.what}>
        <h2>{t(`deskSetup:step.${step}`)}</h2>
        <p className={styles.about}>{t(`deskSetup:step.${step}Text`)}</p>
        <ul className={styles.findings}>
          {findings.map(({ level, sentence }) => (
            <li key={sentence} className={level === 'ok' ? undefined : styles.open}>
              {named(sentence)}
            </li>
          ))}
        </ul>
      </div>
      <Badge tone={tones[state]}>{t(`deskSetup:state.${state}`)}</Badge>
      {page !== null && <StepLink page={page} name={t(`deskSetup:step.${step}`)} />}
    </li>
  )
}

function StepLink({ page, name }: { page: string; name: string }) {
  const { t } = useTranslation(['deskPages', 'deskSetup'])
  return (
    <Link to={page} className={styles.go} aria-label={t('deskSetup:openNamed', { name })}>
      <span>{t('deskSetup:open')}</span> <ArrowRight size={16} aria-hidden="true" />
    </Link>
  )
}
