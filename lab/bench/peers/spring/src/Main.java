import java.io.File;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.springframework.web.context.support.XmlWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;

public class Main {
  public static void main(String[] args) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(new File("dist").getAbsolutePath());
    tomcat.setHostname("localhost");
    tomcat.setPort(Integer.parseInt(System.getenv("PORT")));
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");

    XmlWebApplicationContext spring = new XmlWebApplicationContext();
    spring.setConfigLocation("classpath:application.xml");
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "dispatcher", new DispatcherServlet(spring)).setLoadOnStartup(1);
    context.addServletMappingDecoded("/*", "dispatcher");

    tomcat.start();
    tomcat.getServer().await();
  }
}
