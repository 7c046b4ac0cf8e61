import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart, loadCode } from '../../state/loading/code.ts'
import { readStored, removeStored, writeStored } from '../../state/storage.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { ReadFailed } from '../read-failed.tsx'
import { Row, Section } from '../panel/setting-rows.tsx'
import styles from './presets.module.css'
import { storedOf, type Preset, type Restored, type Wish } from './wish.ts'
import { type PresetActs, usePresets } from './use-presets.ts'

const LinkDialog = lazyPart(async () => (await import('./link-dialog.tsx')).LinkDialog)
const ConfirmDialog = lazyPart(async () => (await import('../confirm-dialog.tsx')).ConfirmDialog)
const NameDialog = lazyPart(async () => (await import('./name-dialog.tsx')).NameDialog)

interface PresetsProps extends Wish {
  onChoose: (restored: Restored) => void
}

const presetsKey = 'has-presets'

/** Whether the last visit found presets: the generator then begins with them. */
export const hadPresets = (): boolean => readStored(presetsKey) !== null

type Opened = 'save' | 'rename' | 'delete' | 'link'

/** Settings that the customer saved under names: chosen, saved, renamed, deleted, given a secret link. */
export function Presets({ settings, proxyUser, onChoose }: PresetsProps) {
  const { t } = useTranslation(['generator', 'header'])
  const acts = usePresets()
  const [number, setNumber] = useState<number | null>(null)
  const [left, setLeft] = useState<Restored | null>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const { data, isError, isFetching, refetch } = acts.presets
  const presets = data?.presets ?? []
  const found = data === undefined ? null : data.presets.length > 0
  useEffect(() => {
    if (found === true) writeStored(presetsKey, 'yes')
    else if (found === false) removeStored(presetsKey)
  }, [found])
  const chosen = presets.find((each) => each.number === number) ?? null
  const choose = async (preset: Preset | null) => {
    setNumber(preset?.number ?? null)
    setLeft(null)
    if (preset === null) return
    try {
      const { restore } = await loadCode(() => import('./restore.ts'))
      const restored = await restore(preset)
      onChoose(restored)
      setLeft(restored)
    } catch {
      setNumber(null)
      toast.error(t('chooseFailed'))
    }
  }
  const options = presets.map((each) => ({
    value: String(each.number),
    label: `${each.label} · ${t(`header:pools.${each.pool}`)}`,
  }))
  return (
    <Section title={t('presets')}>
      <Row label={t('preset')} hint={data?.presets.length === 0 ? t('none') : undefined}>
        {data === undefined && isError && (
          <ReadFailed named what={t('presets')} pending={isFetching} onRetry={() => void refetch()} />
        )}
        <div className={styles.choice}>
          {presets.length > 0 && (
            <SelectField
              label={t('preset')}
              labelHidden
              className={styles.select}
              value={chosen === null ? '' : String(chosen.number)}
              options={[{ value: '', label: t('choose') }, ...options]}
              onChange={(value) => void choose(presets.find((each) => String(each.number) === value) ?? null)}
            />
          )}
          <div className={styles.buttons}>
            <Button size="small" onClick={() => setOpened('save')}>
              {t('saveAs')}
            </Button>
            {chosen !== null && (
              <>
                {chosen.pool === settings.pool && (
                  <Button
                    size="small"
                    pending={acts.change.isPending}
                    onClick={() =>
                      acts.change.mutate({
                        number: chosen.number,
                        settings: storedOf({ settings, proxyUser }),
                      })
                    }
                  >
                    {t('replace')}
                  </Button>
                )}
                <Button size="small" onClick={() => setOpened('rename')}>
                  {t('rename')}
                </Button>
                <Button size="small" onClick={() => setOpened('link')}>
                  {t('link.title')}
                </Button>
                <Button size="small" onClick={() => setOpened('delete')}>
                  {t('delete')}
                </Button>
              </>
            )}
          </div>
        </div>
        <div role="status">{left !== null && <LeftOut left={left} />}</div>
      </Row>
      <Suspense fallback={null}>
        <Dialogs
          opened={opened}
          chosen={chosen}
          acts={acts}
          settings={settings}
          proxyUser={proxyUser}
          onNumber={(made) => {
            setNumber(made)
            setLeft(null)
          }}
          onClose={() => setOpened(null)}
        />
      </Suspense>
    </Section>
  )
}

interface DialogsProps extends Wish {
  opened: Opened | null
  chosen: Preset | null
  acts: PresetActs
  onNumber: (number: number | null) => void
  onClose: () => void
}

function Dialogs({ opened, chosen, acts, settings, proxyUser, onNumber, onClose }: DialogsProps) {
  const { t } = useTranslation('generator')
  return (
    <>
      {(opened === 'save' || (opened === 'rename' && chosen !== null)) && (
        <NameDialog
          label={opened === 'rename' ? (chosen?.label ?? '') : ''}
          title={t(opened === 'rename' ? 'renameTitle' : 'saveTitle')}
          pending={acts.save.isPending || acts.change.isPending}
          failure={opened === 'rename' ? acts.change.error : acts.save.error}
          onSave={(label) => {
            if (opened === 'rename' && chosen !== null)
              acts.change.mutate({ number: chosen.number, label }, { onSuccess: onClose })
            else
              acts.save.mutate(
                { pool: settings.pool, label, settings: storedOf({ settings, proxyUser }) },
                {
                  onSuccess(made) {
                    onNumber(made.number)
                    onClose()
                  },
                },
              )
          }}
          onClose={onClose}
        />
      )}
      {opened === 'delete' && chosen !== null && (
        <ConfirmDialog
          title={t('deleteTitle', { label: chosen.label })}
          consequences={[t('deleteText'), ...(chosen.link === null ? [] : [t('deleteLink')])]}
          confirmLabel={t('delete')}
          pending={acts.remove.isPending}
          onConfirm={() =>
            acts.remove.mutate(chosen.number, {
              onSuccess() {
                onNumber(null)
                onClose()
              },
            })
          }
          onClose={onClose}
        />
      )}
      {opened === 'link' && chosen !== null && <LinkDialog preset={chosen} acts={acts} onClose={onClose} />}
    </>
  )
}

/** The parts of a preset that are not offered now. */
function LeftOut({ left: { missing, isUserGone } }: { left: Restored }) {
  const { t } = useTranslation('generator')
  return (
    <>
      {missing.length > 0 && <p className={styles.left}>{t('leftOut', { names: missing.join(', ') })}</p>}
      {isUserGone && <p className={styles.left}>{t('userGone')}</p>}
    </>
  )
}
