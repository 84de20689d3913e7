export const OverviewPage = () => null
