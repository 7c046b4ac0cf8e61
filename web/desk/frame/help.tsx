import { useTranslation } from '../../state/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './help.module.css'

const keys = [
  { keys: ['Ctrl', 'K'], name: 'palette' },
  { keys: ['/'], name: 'search' },
  { keys: ['j', 'k'], name: 'rows' },
  { keys: ['x'], name: 'select' },
  { keys: ['Enter'], name: 'open' },
  { keys: ['g', 'c'], name: 'go' },
  { keys: ['?'], name: 'help' },
  { keys: ['Esc'], name: 'close' },
] as const

/** The keys of the desk. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('desk')
  return (
    <Dialog open compact onClose={onClose} title={t('help.title')} closeLabel={t('close')}>
      <dl className={styles.keys}>
        {keys.map((each) => (
          <div key={each.name} className={styles.row}>
            <dt>
              {each.keys.map((key) => (
                <kbd translate="no" key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{t(`help.${each.name}`)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
