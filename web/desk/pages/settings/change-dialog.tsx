import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { parseSetting, printSetting, shopSettings } from '#contract/desk/shop-settings'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import styles from './settings.module.css'
import { useSettingText } from './use-setting-text.ts'
import { useSettingTitle } from './use-setting-title.ts'

interface ChangeDialogProps {
  setting: Pick<DeskOutput<'settings'>['changeable'][number], 'name' | 'value'>
  onClose: () => void
}

export function ChangeDialog({ setting, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('deskSettings')
  const textOf = useSettingText()
  const { name } = setting
  const { title, about } = useSettingTitle()(name)
  const { least, most, default: usual, unit } = shopSettings[name]
  const [typed, setTyped] = useState(printSetting(name, BigInt(setting.value)))
  const { pending, fault, run } = useAct('change_setting', onClose)
  const value = parseSetting(name, typed)
  const bounds = { least: textOf(name, String(least)), most: textOf(name, String(most)) }
  const onSubmit = (reason: string) =>
    value !== null && run({ name, value: value === usual ? null : String(value), reason })
  return (
    <ActDialog
      title={title}
      description={about}
      submit={t('settings.save')}
      pending={pending}
      fault={fault}
      ready={value !== null}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <div className={styles.field}>
        {unit === 'flag' ? (
          <Segmented
            label={t('settings.value')}
            value={typed}
            options={(['1', '0'] as const).map((one) => ({ value: one as string, label: textOf(name, one) }))}
            onChange={setTyped}
          />
        ) : (
          <DecimalField
            label={t('settings.value')}
            hint={t('settings.bounds', bounds)}
            value={typed}
            onType={setTyped}
          />
        )}
        {value !== usual && (
          <Button size="small" variant="ghost" onClick={() => setTyped(printSetting(name, usual))}>
            {t('settings.toDefault', { value: textOf(name, String(usual)) })}
          </Button>
        )}
      </div>
      {value !== null && <p className={styles.about}>{textOf(name, String(value))}</p>}
    </ActDialog>
  )
}
