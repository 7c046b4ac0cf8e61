import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import styles from './alerts.module.css'

type Settings = DeskOutput<'alert_settings'>

/** How often the page looks whether the code was given in the group. */
const linkedMs = 3000

/** The group of the staff in Telegram: its state, how to link one, and a test. */
export function AlertGroup({ settings }: { settings: Settings }) {
  const { t } = useTranslation('deskSettings')
  const may = useMay()
  const code = useAct('make_alert_code')
  const test = useAct('test_alert')
  const [isUnlinking, setUnlinking] = useState(false)
  const { group, has_bot: hasBot, bot_name: botName, mailed } = settings
  const isNobodyTold = mailed === 0 && (group === null || group.broken_at !== null || !hasBot)
  /** When the previous group was linked, once a code for another one is requested; null: there was none. */
  const [before, setBefore] = useState<string | null>(null)
  const isWaiting = code.result !== undefined && (group?.linked_at ?? null) === before
  useQuery({ ...query('alert_settings', {}), enabled: isWaiting, refetchInterval: linkedMs })
  const command = code.result && `/staff${botName === null ? '' : `@${botName}`} ${code.result.code}`
  const fault = code.fault ?? test.fault
  return (
    <Section title={t('alerts.group')}>
      <div className={styles.group}>
        {isNobodyTold && (
          <>
            <Fault text={t('alerts.nobody')} />
            <Link to="/me">{t('alerts.ownPage')}</Link>
          </>
        )}
        <GroupState settings={settings} />
        {mailed > 0 && <p className={styles.about}>{t('alerts.mailed', { count: mailed })}</p>}
        {isWaiting && command !== undefined && code.result !== undefined && (
          <div role="status">
            <p className={styles.about}>{t('alerts.giveCode')}</p>
            <p className={styles.code}>
              <code translate="no">{command}</code>
              <CopyButton
                iconOnly
                text={command}
                label={t('alerts.copy')}
                copiedLabel={t('alerts.copied')}
                failedLabel={t('alerts.notCopied')}
              />
            </p>
            <p className={styles.about}>
              <span>{t('alerts.codeUntil')}</span> <Moment iso={code.result.expires_at} />
            </p>
          </div>
        )}
        {fault !== undefined && <Fault text={fault} />}
        {test.result !== undefined && <p role="status">{t('alerts.tested')}</p>}
        <div className={styles.acts}>
          {hasBot && may('make_alert_code') && (
            <Button
              size="small"
              pending={code.pending}
              onClick={() => {
                setBefore(group?.linked_at ?? null)
                code.run({})
              }}
            >
              {t(group === null ? 'alerts.link' : 'alerts.linkAnother')}
            </Button>
          )}
          {may('test_alert') && !isNobodyTold && (
            <Button size="small" pending={test.pending} onClick={() => test.run({})}>
              {t('alerts.test')}
            </Button>
          )}
          {group !== null && may('unlink_alert_group') && (
            <Button size="small" variant="ghost" onClick={() => setUnlinking(true)}>
              {t('alerts.unlink')}
            </Button>
          )}
        </div>
      </div>
      {isUnlinking && <UnlinkDialog title={group?.title ?? ''} onClose={() => setUnlinking(false)} />}
    </Section>
  )
}

function GroupState({ settings: { group, has_bot: hasBot } }: { settings: Settings }) {
  const { t } = useTranslation('deskSettings')
  if (!hasBot) return <p className={styles.about}>{t('alerts.noBot')}</p>
  if (group === null) return <p className={styles.about}>{t('alerts.noGroup')}</p>
  const { title, linked_at: linkedAt, linked_by: linkedBy, broken_at: brokenAt } = group
  return (
    <>
      <p className={styles.state}>
        <strong>{title}</strong>
        <Badge tone={brokenAt === null ? 'good' : 'bad'}>
          {t(brokenAt === null ? 'alerts.works' : 'alerts.broken')}
        </Badge>
        {group.is_forum && brokenAt === null && <Badge tone="quiet">{t('alerts.topics')}</Badge>}
      </p>
      <p className={styles.about}>
        <span>{`${t('alerts.linkedBy', { name: linkedBy })},`}</span> <Moment iso={linkedAt} recent />
      </p>
      {brokenAt !== null && <p>{t('alerts.brokenText', { reason: group.broken_reason ?? '' })}</p>}
    </>
  )
}

function UnlinkDialog({ title, onClose }: { title: string; onClose: () => void }) {
  const { t } = useTranslation('deskSettings')
  const { pending, fault, run } = useAct('unlink_alert_group', onClose)
  return (
    <ActDialog
      title={t('alerts.unlinkTitle', { title })}
      description={t('alerts.unlinkText')}
      submit={t('alerts.unlink')}
      isDanger
      reason="none"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={() => run({})}
    />
  )
}
