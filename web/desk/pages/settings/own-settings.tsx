import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { type SettingName, shopSettings } from '#contract/desk/shop-settings'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useMay } from '../../state/session.ts'
import { ChangeDialog } from './change-dialog.tsx'
import styles from './settings.module.css'
import { useSettingText } from './use-setting-text.ts'
import { useSettingTitle } from './use-setting-title.ts'

type Setting = DeskOutput<'settings'>['changeable'][number]

const groups = ['payments', 'limits', 'payouts', 'retention', 'notices'] as const
const tones = { environment: 'warning', changed: 'good', default: 'quiet' } as const

/** The settings that can be changed while the shop runs, by group. */
export function OwnSettings({ settings }: { settings: readonly Setting[] }) {
  const { t } = useTranslation('deskSettings')
  const mayChange = useMay()('change_setting')
  const [open, setOpen] = useState<SettingName | null>(null)
  const chosen = settings.find(({ name }) => name === open)
  return (
    <>
      <p className={styles.intro}>{t('settings.intro')}</p>
      {groups.map((group) => (
        <Section key={group} title={t(`settings.group.${group}`)}>
          <ul className={styles.list}>
            {settings
              .filter(({ name }) => shopSettings[name].group === group)
              .map((setting) => (
                <SettingRow
                  key={setting.name}
                  setting={setting}
                  onChange={mayChange ? () => setOpen(setting.name) : null}
                />
              ))}
          </ul>
        </Section>
      ))}
      {chosen !== undefined && <ChangeDialog setting={chosen} onClose={() => setOpen(null)} />}
    </>
  )
}

function SettingRow({ setting, onChange }: { setting: Setting; onChange: (() => void) | null }) {
  const { t } = useTranslation('deskSettings')
  const textOf = useSettingText()
  const { name, source, changed } = setting
  const { variable } = shopSettings[name]
  const { title, about } = useSettingTitle()(name)
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <h3 className={styles.name}>{title}</h3>
        <p className={styles.about}>{about}</p>
        {source === 'environment' && (
          <p className={styles.about}>{t('settings.pinned', { variable: variable ?? '' })}</p>
        )}
      </div>
      <div className={styles.value}>
        <strong>{textOf(name, setting.value)}</strong>
        <span className={styles.source}>
          <Badge tone={tones[source]}>{t(`settings.source.${source}`)}</Badge>
          {source === 'changed' && changed !== null && (
            <span>
              <Moment iso={changed.at} recent />
              <span>{`, ${changed.by}`}</span>
            </span>
          )}
        </span>
      </div>
      {onChange !== null && source !== 'environment' && (
        <Button size="small" aria-label={t('settings.changeNamed', { name: title })} onClick={onChange}>
          {t('settings.change')}
        </Button>
      )}
    </li>
  )
}
