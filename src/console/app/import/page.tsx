export const ImportPage = () => null
