import { useTranslation } from '../../state/i18n.ts'
import type { PickerTexts } from '../../ui/picker/picker.tsx'

/** The texts of a picker; the caller says what it searches. */
export function usePickerTexts(search: string): PickerTexts {
  const { t } = useTranslation('userPanel')
  return {
    search,
    chosen: t('picker.chosen'),
    remove: (name) => t('picker.remove', { name }),
    clear: t('picker.clear'),
    confirm: t('picker.confirm'),
    close: t('picker.close'),
    loading: t('picker.loading'),
    none: t('picker.none'),
    notFound: t('picker.notFound'),
    failed: t('picker.failed'),
    retry: t('picker.retry'),
  }
}
