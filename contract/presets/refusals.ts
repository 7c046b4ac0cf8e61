/** The refusals of presets of the generator. */
export const presetsRefusals = {
  preset_not_found: {
    status: 404,
    ru: 'Такого набора настроек нет. Возможно, его уже удалили.',
    en: 'There is no such preset. It may have been deleted.',
  },
  preset_label_taken: {
    status: 409,
    ru: 'Набор с таким названием в этом пуле уже есть.',
    en: 'This pool already has a preset with this name.',
  },
  too_many_presets: {
    status: 422,
    ru: 'Наборов может быть не больше {limit}. Удалите лишний.',
    en: 'You can have at most {limit} presets. Delete one first.',
  },
  preset_too_large: {
    status: 422,
    ru: 'В наборе слишком много мест и сетей: он длиннее {limit} знаков. Уберите часть.',
    en: 'The preset has too many places and networks: it is longer than {limit} characters. Remove some.',
  },
  too_many_links: {
    status: 422,
    ru: 'Секретных ссылок может быть не больше {limit}. Отзовите лишнюю.',
    en: 'You can have at most {limit} secret links. Revoke one first.',
  },
} as const
