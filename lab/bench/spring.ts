import { existsSync } from 'node:fs'

const jars = [
  'spring3-web.servlet.jar',
  'spring3-jdbc.jar',
  'tomcat9-catalina.jar',
  'sqlite-jdbc.jar',
  'jackson-databind.jar',
]

/** Spring and Tomcat come from Debian packages. */
export const missingDebianPackages = () =>
  jars.every((jar) => existsSync(`/usr/share/java/${jar}`))
    ? undefined
    : 'needs Debian’s libspring-web-servlet-java, libspring-jdbc-java, libtomcat9-java, libxerial-sqlite-jdbc-java and libjackson2-databind-java'
